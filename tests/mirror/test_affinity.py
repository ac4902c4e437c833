"""Affinities of the complete mirror against an independent reading of the lists' rows."""

import re
from collections import defaultdict
from pathlib import Path
from statistics import median

import pytest

from tests.tools.runs import JobRun, Row, rows_of
from tethermap.base import layout

WITHOUT = {"3bep", "5a2j", "6g99"}
"""Entries whose rows name no ligand: DNA (3BEP), DNA and RNA (6G99), a peptide of plain amino acids (5A2J), a kind that
the job does not include."""

REMEDIATED = {("1a4w", "QWE"): "ANS"}
"""Components that the entry's file names otherwise: QWE is ANS+DAR+2EP+KTH there."""

Value = tuple[str, str, str, float]
Listed = dict[tuple[str, str], list[Value]]
EXPONENT = {"m": -3, "u": -6, "n": -9, "p": -12, "f": -15}


@pytest.fixture(scope="module")
def listed(affinities: Path) -> Listed:
    """Chain, type, relation and concentration in nmol/L of each row, by entry and component."""
    found = defaultdict(list)
    for row in rows_of(affinities, "affinity.csv"):
        name, sign, number, unit = re.split(r"([=<>~])([\d.]+)", row["measurement"].rpartition(",")[2])
        value = float(f"{number}e{EXPONENT[unit[0]] + 9}")
        comp_id = REMEDIATED.get((row["pdb_id"], row["comp_id"]), row["comp_id"])
        found[row["pdb_id"], comp_id].append((row["chain"], name.upper(), sign, value))
    return found


def proteins(row: Row) -> set[str]:
    """Return the UniProt accessions of a ligand's pocket."""
    return {one.partition(":")[0] for one in row["pocket_uniprot"].split(";")} - {""}


def test_value_of_each_ligand_is_that_of_the_lists(listed: Listed, whole: JobRun, kept: list[Row]) -> None:
    entries = set()

    def of_chains(row: Row) -> list[Value]:
        chains = {row["Chain"], *row["target_chains"].split(",")}
        components = row["components"].split("+")
        return [one for name in components for one in listed.get((row["pdb_id"], name), ()) if one[0] in chains]

    for row in kept:
        copies = [
            one
            for one in kept
            if (one["pdb_id"], one["components"]) == (row["pdb_id"], row["components"])
            and proteins(one) & proteins(row)
        ]
        measured = of_chains(row) or next((found for one in copies if (found := of_chains(one))), [])
        if not measured:
            assert row["value_nM"] == row["affinity_type"] == "", row["stem"]
            continue
        entries.add(row["pdb_id"])
        kind = next(kind for kind in ("KD", "KI", "IC50") if any(one[1] == kind for one in measured))
        values = {one[3] for one in measured if one[1] == kind and one[2] == "="}
        values = values or {one[3] for one in measured if one[1] == kind}
        assert row["affinity_type"].upper() == kind, row["stem"]
        assert float(row["value_nM"]) == pytest.approx(median(values), rel=1e-3, abs=1e-6), row["stem"]
        assert int(row["n_values"]) == len(values), row["stem"]
    assert len({entry for entry, _ in listed}) == 109
    assert {entry for entry, _ in listed} - entries == WITHOUT
    stems = {row["stem"] for row in rows_of(whole.job, layout.AFFINITY)}
    assert stems == {row["stem"] for row in kept if row["value_nM"]}


def test_answers_have_the_affinity_of_their_copies(affinities: Path, kept: list[Row], whole: JobRun) -> None:
    assert affinities.is_dir()
    values = {row["stem"]: row["affinity_type"] for row in kept}
    for row in rows_of(whole.job, layout.EXIT_ANSWERS):
        assert bool(row["affinity_type"]) == any(values[stem] for stem in row["stems"].split(";")), row["best_stem"]
