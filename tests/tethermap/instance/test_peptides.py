"""Short chains near a protein that are peptides by their length; the real ones are in `test_formats`."""

from pathlib import Path

import pytest

from tests.tools.small_entry import strand, write_entry
from tethermap.entry.reader import read_entry
from tethermap.instance.find import Residues


@pytest.mark.parametrize(
    ("partner", "short", "peptides"),
    [(30, 15, {"B"}), (29, 15, set()), (30, 16, set())],
    ids=["peptide", "beside a shorter chain", "too long"],
)
def test_chain_of_15_residues_by_30_is_a_peptide(partner: int, short: int, peptides: set[str], tmp_path: Path) -> None:
    chains = strand("A", 1, length=partner), strand("B", 500, (0.0, 9.0, 0.0), length=short)
    residues = Residues(read_entry(write_entry(tmp_path, *chains), "1abc"))
    assert set(residues.short.values()) == peptides
