"""Files that break a format's rules and are read all the same: the checks forgive what the reader forgives."""

import json
from collections.abc import Callable
from pathlib import Path

import gemmi
import pytest

from tests.tools.components import without_stereo
from tests.tools.runs import ROOT
from tests.tools.styles import SMILES
from tethermap.base import layout, tables
from tethermap.base.config import resolve
from tethermap.base.tables import split_cell
from tethermap.run_job import run_job

EXAMPLE = ROOT / "data" / "examples" / "exam4cup" / "TARGET_RESULTS" / "WAR_PDB" / "4cup_A_ZYB_2971.pdb"

Lines = Callable[[list[str], list[str]], str]
"""Makes a file of the lines of a protein and of its ligand."""


def lines_of_example() -> tuple[list[str], list[str]]:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)
    ligand = [f"{line[:17]}LIG{line[20:]}" for line in lines if line.startswith("HETATM")]
    return [line for line in lines if line.startswith(("ATOM", "TER"))], ligand


def with_columns(text: str, begin: int, *, serials: bool = False) -> Lines:
    """Put a text into columns of the ligand's lines, counted from 0."""

    def make(protein: list[str], ligand: list[str]) -> str:
        changed = [f"{line[:begin]}{text}{line[begin + len(text) :]}" for line in ligand]
        if serials:
            changed = [f"{line[:6]}A{number:04d}{line[11:]}" for number, line in enumerate(changed)]
        return "".join([*protein, *changed, "END\n"])

    return make


def with_names_twice(protein: list[str], ligand: list[str]) -> str:
    """Give pairs of atoms one name."""
    elements = [line[76:78].strip() for line in ligand]
    names = [f"{element}{elements[:place].count(element) // 2}" for place, element in enumerate(elements)]
    named = [f"{line[:12]} {name:3}{line[16:]}" for line, name in zip(ligand, names, strict=True)]
    return "".join([*protein, *named, "END\n"])


def as_mmcif(change: Callable[[gemmi.cif.Block], None], chain: str = "L") -> Lines:
    """Write the model as mmCIF with its ligand in a separate chain, and change the block of it."""

    def make(protein: list[str], ligand: list[str]) -> str:
        text = "".join([*protein, *(f"{line[:21]}L{line[22:]}" for line in ligand), "END\n"])
        structure = gemmi.read_pdb_string(text)
        structure.setup_entities()
        structure.name = "model"
        structure[0][-1].name = chain
        groups = gemmi.MmcifOutputGroups(False, atoms=True, group_pdb=True)
        groups.auth_all = True
        block = structure.make_mmcif_block(groups)
        change(block)
        return str(block.as_string())

    return make


def without_author_numbers(block: gemmi.cif.Block) -> None:
    block.find_loop("_atom_site.Cartn_x").get_loop().remove_column("_atom_site.auth_seq_id")


def with_four_decimals(block: gemmi.cif.Block) -> None:
    for axis in "xyz":
        column = block.find_values(f"_atom_site.Cartn_{axis}")
        for row, value in enumerate(column):
            column[row] = f"{float(value):.3f}5"


def with_blanks_in_chains(block: gemmi.cif.Block) -> None:
    for tag in ("auth_asym_id", "label_asym_id"):
        column = block.find_values(f"_atom_site.{tag}")
        for row, value in enumerate(column):
            column[row] = {"L": "'L/1'"}.get(value[0], "'A 1'")


FILES: dict[str, tuple[str, Lines, tuple[str, str], tuple[str, ...]]] = {
    "two-letter chain": ("x.pdb", with_columns("B1   1 ", 20), ("B1", "1"), ("names_shortened",)),
    "hybrid-36": ("x.pdb", with_columns("A000", 22, serials=True), ("A", "10000"), ("mmcif_only",)),
    "four letters": ("x.pdb", with_columns("LIG1", 17), ("1A", "2971"), ("names_shortened",)),
    "names twice": ("x.pdb", with_names_twice, ("A", "2971"), ("duplicate_atom_names",)),
    "no number": ("x.pdb", with_columns("      ", 21), ("A", "1"), ("number_made_up", "chain_from_nearest_polymer")),
    "no author number": ("x.cif", as_mmcif(without_author_numbers), ("L", "1"), ("number_made_up",)),
    "blank in chains": ("x.cif", as_mmcif(with_blanks_in_chains), ("L/1", "2971"), ("names_shortened",)),
    "four decimals": ("x.cif", as_mmcif(with_four_decimals, "L1"), ("L1", "2971"), ("names_shortened",)),
}


@pytest.mark.parametrize("case", FILES)
def test_unusual_file_gives_its_ligand_and_passes_its_checks(case: str, tmp_path: Path) -> None:
    name, make, (chain, number), flags = FILES[case]
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / name).write_text(make(*lines_of_example()), encoding="utf-8")
    given = {"target_name": "BAZ2B", "search_query": "", "cache_dir": str(tmp_path / "cache")}
    job = tmp_path / "job"
    run_job(job, resolve({**given, "source": {"kind": "files", "files": str(tmp_path / "given")}}))
    (row,) = tables.read_table(job / layout.RESULTS_DISPLAY, tables.RESULTS_TABLE)
    assert (row["Chain"], row["Warhead"], row["Residue_ID"]) == (chain, "LIG", number)
    assert set(flags) <= set(split_cell(row["flags"]))
    assert without_stereo(str(row["SMILES"])) == without_stereo(SMILES)
    manifest = json.loads((job / layout.MANIFEST).read_text(encoding="utf-8"))
    assert manifest["self_check"]["passed"], manifest["self_check"]["failures"]
    if row["cif_path"]:
        written = gemmi.read_structure(str(job / str(row["cif_path"])))
        assert sum(len(residue) for part in written[0] for residue in part if residue.name == "LIG") == 11
