"""The inputs for programs that model degraders of the embedded entries, read back by other readers."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.lib import layout
from scripts.lib.tables import PROTAC_INPUTS, read_table
from tests.tools.protac_reading import problems_of_job
from tests.tools.runs import JobRun


@pytest.fixture(scope="module")
def job(demo: JobRun) -> Path:
    return demo.checked().job


def test_each_anchor_is_one_atom_in_all_files_of_the_embedded_entries(job: Path) -> None:
    assert list(problems_of_job(job)) == []


def test_index_tells_of_each_ligand_and_its_three_best_sites(job: Path) -> None:
    rows = list(read_table(job / layout.PROTAC_INPUTS, PROTAC_INPUTS))
    by_stem: dict[str, list[object]] = {}
    for row in rows:
        by_stem.setdefault(str(row["stem"]), []).append(row["site_rank"])
    assert {"4cup_A_ZYB_2971", "1hpv_A_478_200"} <= by_stem.keys()
    assert all(ranks == list(range(1, len(ranks) + 1)) and len(ranks) <= 3 for ranks in by_stem.values())


def test_readmes_have_three_lines_and_a_covalent_ligand_is_said_to_be_one(job: Path) -> None:
    readmes = sorted((job / layout.PROTAC_FOLDER).rglob("README.txt"))
    assert len(readmes) == 4 * len({path.relative_to(job / layout.PROTAC_FOLDER).parts[0] for path in readmes})
    assert {len(path.read_text(encoding="utf-8").splitlines()) for path in readmes} == {3}
    covalent = next(path for path in readmes if "1gbt" in path.parent.name)
    assert "covalently bound to OG of SER 195" in covalent.read_text(encoding="utf-8")
