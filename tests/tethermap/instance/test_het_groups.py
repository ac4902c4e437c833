"""Het groups have their kinds and reasons, short chains by their length."""

from dataclasses import replace
from pathlib import Path

import gemmi
import pytest

from tests.tools.cleaning import ANY_TARGET, Find, clean_file
from tests.tools.fuzz.case import made_entry
from tests.tools.small_entry import carbons, strand, write_entry
from tethermap.entry.reader import read_entry
from tethermap.instance.find import Residues


@pytest.mark.parametrize("water", ["SOL", "TIP", "SPC", "WAT", "OH2", "OHH", "HHO", "H2O"])
def test_water_of_other_programs_is_not_a_het_group(water: str, archive: Path, find: Find, tmp_path: Path) -> None:
    structure = gemmi.read_structure(str(archive / "4cup.cif.gz"))
    groups = []
    for name in ("HOH", water):
        path = tmp_path / f"{name.lower()}.pdb"
        path.write_text(structure.make_minimal_pdb().replace("HOH", name))
        _, cleaned = clean_file(path, find)
        groups.append([(row["ligand"], row["residue"], row["kind"], row["reason"]) for row in cleaned.ligand_rows])
    assert groups[0] == groups[1]


@pytest.mark.parametrize("kinds", [{"ligand"}, {"ligand", "modified_residue"}])
def test_modified_residue_has_a_reason_that_no_setting_contradicts(kinds: set[str], archive: Path, find: Find) -> None:
    settings = replace(ANY_TARGET, kinds=frozenset(kinds))
    _, cleaned = clean_file(archive / "1a8o.cif.gz", find, settings)
    rows = [row for row in cleaned.ligand_rows if row["ligand"] == "MSE"]
    assert {(row["kind"], row["kept"], row["reason"]) for row in rows} == {
        ("modified_residue", False, "part_of_polymer")
    }


@pytest.mark.parametrize(
    ("comp_id", "count", "kind"),
    [("LIG", 27, "ligand"), ("LIG", 28, "polymer"), ("GLC", 2, "additive"), ("GLC", 3, "ligand")],
)
def test_linked_residues_have_a_kind_by_size(comp_id: str, count: int, kind: str, find: Find, tmp_path: Path) -> None:
    """The dictionary's LIG has 18 heavy atoms, GLC is an additive; four of each are seen, 1.5 Å apart in a row."""
    rows = [(n, (15.0 + 6.0 * n, 15.0, 15.0)) for n in range(count)]
    chain = [carbons(comp_id, "C", n + 1, place, (1.5, 0.0, 0.0), 4, start=1000 + 4 * n) for n, place in rows]
    path = tmp_path / "1abc.pdb"
    path.write_bytes(made_entry().replace(b"END\n", "".join(line for one in chain for line in one).encode() + b"END\n"))
    _, cleaned = clean_file(path, find)
    assert {row["kind"] for row in cleaned.ligand_rows if row["ligand"] == comp_id} == {kind}


@pytest.mark.parametrize(
    ("partner", "short", "peptides"),
    [(30, 15, {"B"}), (29, 15, set()), (30, 16, set())],
    ids=["peptide", "beside a shorter chain", "too long"],
)
def test_chain_of_15_residues_by_30_is_a_peptide(partner: int, short: int, peptides: set[str], tmp_path: Path) -> None:
    chains = strand("A", 1, length=partner), strand("B", 500, (0.0, 9.0, 0.0), length=short)
    residues = Residues(read_entry(write_entry(tmp_path, *chains), "1abc"))
    assert set(residues.short.values()) == peptides


@pytest.mark.parametrize(
    ("comp_id", "element", "kind"),
    [("POT", "K", "ion"), ("SOD", "Na", "ion"), ("CLA", "Cl", "ion"), ("CLA", "Mg", "cofactor"), ("CD", "Cd", "ion")],
)
def test_ion_with_the_code_of_another_component_is_an_ion(
    comp_id: str, element: str, kind: str, find: Find, tmp_path: Path
) -> None:
    """CHARMM calls potassium POT and chloride CLA, the codes of an inhibitor and of chlorophyll."""
    line = f"HETATM 1000 {comp_id:>4} {comp_id:>3} C   1      15.000  15.000  15.000  1.00 20.00"
    line = f"{line:76}{element.upper():>2}\n"
    path = tmp_path / "1abc.pdb"
    path.write_bytes(made_entry().replace(b"END\n", line.encode() + b"END\n"))
    _, cleaned = clean_file(path, find)
    assert [row["kind"] for row in cleaned.ligand_rows if row["ligand"] == comp_id] == [kind]
