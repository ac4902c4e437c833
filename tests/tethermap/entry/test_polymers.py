"""Files without SEQRES from programs for modelling and docking: polymers by bonds, for any position of TER."""

import gzip
from pathlib import Path

import gemmi
import pytest

from tests.tools.cleaning import Find, clean_file
from tethermap.entry.polymers import decide_polymers


def variant(archive: Path, ter: str, record: str) -> str:
    """Return 1HPV without its header, TER in another place, and amprenavir (478) in chain A as ATOM or HETATM."""
    text = gzip.decompress((archive / "1hpv.ent.gz").read_bytes()).decode()
    lines = [line[:72].ljust(80) for line in text.splitlines() if line.startswith(("ATOM", "HETATM"))]
    protein = [line for line in lines if line.startswith("ATOM")]
    ligand = [f"{record:6}{line[6:21]}A{line[22:]}" for line in lines if line[17:20] == "478"]
    end = ["TER"]
    placed = {"none": [*protein, *ligand], "before": [*protein, *end, *ligand], "after": [*protein, *ligand, *end]}
    placed["both"] = [*protein, *end, *ligand, *end]
    return "\n".join([*placed[ter], "END", ""])


@pytest.mark.parametrize("ter", ["none", "before", "after", "both"])
@pytest.mark.parametrize("record", ["ATOM", "HETATM"])
def test_ligand_is_kept_for_any_place_of_ter(ter: str, record: str, archive: Path, find: Find, tmp_path: Path) -> None:
    path = tmp_path / "model.pdb"
    path.write_text(variant(archive, ter, record))
    _, cleaned = clean_file(path, find)
    assert [kept.instance.name.comp_id for kept in cleaned.kept] == ["478"]
    assert cleaned.entry_row["target_chains"] == "A,B"


def test_waters_numbered_in_hexadecimal_are_waters(archive: Path, find: Find, tmp_path: Path) -> None:
    """Like in OpenMM's files beyond 9999; the repeated numbers must not affect a ligand."""
    lines = variant(archive, "none", "HETATM").splitlines()[:-1]
    numbers = enumerate(("270f", "271a", "9999", "270f"))
    waters = [f"HETATM99999  O   HOH W{one}    {90 + n:8.3f}  90.000  90.000  1.00 20.00" for n, one in numbers]
    path = tmp_path / "model.pdb"
    path.write_text("\n".join([*lines, *(f"{line:76} O  " for line in waters), "END", ""]))
    _, cleaned = clean_file(path, find)
    assert [kept.instance.name.comp_id for kept in cleaned.kept] == ["478"]


def test_poses_with_element_names_are_rejected_without_a_receptor(find: Find, tmp_path: Path) -> None:
    """Docking programs write poses of one place under consecutive numbers."""
    line = "HETATM{:5d}  {}   UNL L{:4d}    {:8.3f}{:8.3f}   0.000  1.00 20.00           {}\n"
    atoms = [(1.4 * k, "CCCCNCCCO"[k]) for k in range(9)]
    path = tmp_path / "model.pdb"
    path.write_text("".join(line.format(k, name, pose, x, 0.4 * pose, name)
                            for pose in (1, 2, 3) for k, (x, name) in enumerate(atoms)) + "END\n")  # fmt: skip
    _, cleaned = clean_file(path, find)
    assert (cleaned.entry_row["reason"], cleaned.kept) == ("no_polymer", [])


def test_assembly_keeps_its_chains_if_a_file_has_no_entities(archive: Path) -> None:
    structure = gemmi.read_structure(str(archive / "4cup.cif.gz"))
    [part] = structure.assemblies[0].generators
    part.subchains = ["A", "B"]  # the polymer and ZYB, without the other het groups
    decide_polymers(structure)
    assert part.subchains == ["Ax1", "Axp"]
