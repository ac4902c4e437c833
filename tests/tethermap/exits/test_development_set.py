"""The ranking finds the attachment points of published degraders whose entries are in the mirror."""

from pathlib import Path

import numpy as np
import pytest

from tests.tools.bench_exits import ENTRY, GATES, METHODS, Case, cases, development_rows, methods_table, shares
from tests.tools.exit_weights import USED, leave_one_out, rank_with, shares as held_out_shares
from tethermap.components.index import ComponentIndex


@pytest.fixture(scope="module")
def found(mirror: Path, index: ComponentIndex) -> list[Case]:
    return list(cases(mirror, index))


def test_all_ligands_of_the_archive_are_compared(found: list[Case]) -> None:
    in_archive = {row["pdb_id"] for row in development_rows() if row["in_archive"] == "yes"}
    assert in_archive <= {case.entry_id for case in found}
    assert shares(found, METHODS[0])[0] >= 10


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("method", METHODS[:2])
def test_gate_passes_in_the_target_and_with_the_nearest_chain(found: list[Case], gate: str, method: str) -> None:
    assert shares(found, method)[1][gate] >= GATES[gate]


def test_no_rank_is_worse_than_that_of_the_reference(found: list[Case]) -> None:
    """Reference ranks were made with the nearest chain as context by another program, and nothing turned."""
    reference = {
        row["pdb_id"]: (int(row["model_atom_rank"]), int(row["model_site_rank"])) for row in development_rows()
    }
    ours = {case.entry_id: (case.atom[METHODS[1]], case.site[METHODS[1]]) for case in found}
    assert [entry_id for entry_id, ranks in ours.items() if np.any(np.greater(ranks, reference[entry_id]))] == []


def test_weights_in_use_are_those_of_the_published_ranks(found: list[Case]) -> None:
    assert {case.entry_id: rank_with(case.terms, USED) for case in found} == {
        case.entry_id: case.atom[METHODS[0]] for case in found
    }


def test_ligands_that_the_weights_were_not_chosen_on_are_found_as_well(found: list[Case]) -> None:
    """Each left out in turn, the weights chosen on the others by a grid: no worse than the gates allow."""
    first, third, _ = held_out_shares(leave_one_out(case.terms for case in found))
    assert first >= GATES["atom top-1"]
    assert third >= GATES["atom top-3"]


def test_another_method_gets_its_row_by_one_csv(
    mirror: Path, index: ComponentIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A toy that knows the right atoms of one target, and no other: right there, wrong elsewhere."""
    entry = tmp_path / "oracle.csv"
    known = [row for row in development_rows() if row["target"] == "CRBN"]
    rows = [f"{row['pdb_id']},{row['ccd']},{row['accepted_anchor_atoms'].split()[0]},1.0" for row in known]
    entry.write_text("\n".join(["pdb_id,ccd,atom,score", *rows]), encoding="utf-8")
    monkeypatch.setenv(ENTRY, str(entry))
    with_entry = list(cases(mirror, index))
    assert {case.target for case in with_entry if case.atom["oracle"] == 1} == {"CRBN"}
    (row,) = [row for row in methods_table(with_entry).rows if row[0] == "oracle"]
    assert str(row[2]).startswith("0.20")
