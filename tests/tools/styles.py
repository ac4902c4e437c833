"""One small complex written as the programs of the field write theirs: a bromodomain with 4-fluorobenzamidoxime.

The conventions are those of each program's documentation, cited at its writer; no file is copied.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import gemmi

from tests.tools.runs import ROOT
from tests.tools.small_entry import atom_line

SMILES = "NC(=NO)c1ccc(F)cc1"
"""The ligand."""

_TAGS = (
    *("group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id", "label_asym_id"),
    *("label_entity_id", "label_seq_id", "pdbx_PDB_ins_code", "Cartn_x", "Cartn_y", "Cartn_z", "occupancy"),
    *("B_iso_or_equiv", "auth_seq_id", "auth_asym_id", "pdbx_PDB_model_num"),
)

HISTIDINES = {"HIS": "HIE"}


@dataclass(frozen=True)
class Atom:
    """An atom of the complex: its residue's name and number, its own name, element, place in angstroms."""

    comp_id: str
    number: int
    name: str
    element: str
    xyz: tuple[float, float, float]
    is_ligand: bool


@dataclass(frozen=True)
class Style:
    """A file to be written: its name, its text, and the code of its ligand."""

    name: str
    file: str
    text: str
    code: str


@cache
def complex_atoms() -> tuple[Atom, ...]:
    """Return the protein and the ligand of 4CUP, without waters and alternates."""
    structure = gemmi.read_structure(str(ROOT / "data" / "archive" / "4cup.cif.gz"))
    structure.remove_alternative_conformations()
    atoms = []
    for residue in structure[0]["A"]:
        is_ligand = residue.name == "ZYB"
        if is_ligand or residue.entity_type == gemmi.EntityType.Polymer:
            for atom in residue:
                place, number = (atom.pos.x, atom.pos.y, atom.pos.z), int(residue.seqid.num or 0)
                atoms.append(Atom(residue.name, number, atom.name, atom.element.name, place, is_ligand))
    return tuple(atoms)


def pdb_line(serial: int, atom: Atom, *, code: str, chain: str, number: int, **style: Any) -> str:
    """Return a coordinate line; see `atom_line` for its style."""
    return atom_line(serial, atom.name, code, chain[:1], number, atom.xyz, element=atom.element, **style)


def matrix() -> Iterator[Style]:
    """Yield PDB files with TER in four places, ligands as ATOM or HETATM, in three chains, with and without SEQRES."""
    places = ("none", "between", "after", "both")
    for ter, record, chain, seqres in product(places, ("ATOM", "HETATM"), ("A", "B", " "), (True, False)):
        between, after = ("TER\n" if ter in (where, "both") else "" for where in ("between", "after"))
        head = _seqres() if seqres else ""
        text = _pdb("LIG", record=record, ligand=chain, ter=between, head=head, foot=f"{after}END\n", b=20.0)
        name = f"ter-{ter}-{record.lower()}-{chain.strip() or 'blank'}-{'seqres' if seqres else 'bare'}"
        yield Style(name, "model.pdb", text, "LIG")


def protein_pdb() -> str:
    """Return only the protein, as a PDB file with an END."""
    protein = [atom for atom in complex_atoms() if not atom.is_ligand]
    lines = [pdb_line(k, atom, record="ATOM", code=atom.comp_id, chain="A", number=atom.number)
             for k, atom in enumerate(protein, start=1)]  # fmt: skip
    return "".join([*lines, "END\n"])


def _seqres() -> str:
    names = list(dict.fromkeys((atom.number, atom.comp_id) for atom in complex_atoms() if not atom.is_ligand))
    rows = [" ".join(f"{name:>3}" for _, name in names[start : start + 13]) for start in range(0, len(names), 13)]
    return "".join(f"SEQRES {row:3d} A {len(names):4d}  {part}\n" for row, part in enumerate(rows, start=1))


def _pdb(
    code: str, *, record: str = "HETATM", protein: str = "A", ligand: str = "A", number: int = 301, ter: str = "",
    rename: dict[str, str] | None = None, tail: Callable[[Atom], str] = lambda _: "", head: str = "", b: float = 0.0,
    occupancy: float = 1.0, foot: str = "END\n", first: int | None = None,
) -> str:  # fmt: skip
    lines = [head]
    shift = first - complex_atoms()[0].number if first is not None else 0
    ended = False
    for serial, atom in enumerate(complex_atoms(), start=1):
        if atom.is_ligand and not ended:
            ended = True
            lines.append(ter)
        comp_id = (rename or {}).get(atom.comp_id, atom.comp_id)
        own = (record, code, ligand, number) if atom.is_ligand else ("ATOM", comp_id, protein, atom.number + shift)
        kind, name, chain, place = own
        style: dict[str, Any] = {"record": kind, "tail": tail(atom), "b": b, "occupancy": occupancy}
        lines.append(pdb_line(serial, atom, code=name, chain=chain, number=place, **style))
    return "".join([*lines, foot])


def _waters(code: str, numbers: tuple[str, ...]) -> str:
    places = [f"{60.0 + 4 * k:8.3f}{60.0:8.3f}{60.0:8.3f}" for k in range(len(numbers))]
    return "".join(
        f"HETATM{9000 + k:5d}  O   {code:<3}  {number:>4}    {places[k]}  1.00  0.00           O\n"
        for k, number in enumerate(numbers)
    )


def programs() -> Iterator[Style]:
    """Yield the complex in the format of each program."""
    # ambpdb of AmberTools (Amber 24 manual, 3.2): no chains, residues from 1, TER after each molecule, WAT.
    yield Style("amber", "complex.pdb",
                _pdb("LIG", record="ATOM", protein=" ", ligand=" ", rename=HISTIDINES, ter="TER   \n", first=1,
                     number=200, foot="TER   \n" + _waters("WAT", ("300", "301")) + "END   \n"), "LIG")  # fmt: skip
    # OpenMM's PDBFile.writeFile: chains by letter, TER with residue, elements; Modeller's additions are UNL.
    yield Style("openmm", "minimized.pdb",
                _pdb("UNL", ligand="B", number=1, ter="TER    1000      THR A1970\n",
                     head="REMARK   1 CREATED WITH OPENMM 8.1, 2025-01-01\n"), "UNL")  # fmt: skip
    # Maestro's export of PDB files: UNK 900, HETATM, its own TER lines, CONECT at the end.
    yield Style("maestro", "prepared.pdb",
                _pdb("UNK", ligand="A", number=900, ter="TER    1000      THR A1970\n",
                     head="REMARK   4      COMPLIES WITH FORMAT V. 3.0, 1-DEC-2006\nREMARK 888\n", b=0.0,
                     foot="CONECT 1001 1002\nEND   \n"), "UNK")  # fmt: skip
    # PyMOL's save with pdb_use_ter_records off (PyMOLWiki, Pdb_use_ter_records), and with its default.
    yield Style("pymol", "pymol.pdb", _pdb("LIG", ligand="A"), "LIG")
    yield Style("pymol-ter", "pymol_ter.pdb", _pdb("LIG", ligand="A", ter="TER    1000      THR A1970\n"), "LIG")
    # GROMACS' editconf and trjconv: MODEL, no chains, no elements, occupancy 1, SOL (GROMACS manual, pdb).
    yield Style("gromacs", "frame.pdb",
                _pdb("UNK", record="ATOM", protein=" ", ligand=" ", tail=lambda _: "            ",
                     head="TITLE     Protein in water t=   0.00000\nMODEL        1\n", first=1, number=200,
                     foot=_waters("SOL", ("9999", "0", "1")) + "TER\nENDMDL\n"), "UNK")  # fmt: skip
    # NAMD and CHARMM: segments in columns 73-76, HSD, occupancy 0, hexadecimal numbers of waters (VMD).
    yield Style("namd", "step5.pdb",
                _pdb("LIG", record="ATOM", protein="P", ligand="X", rename={"HIS": "HSD"}, occupancy=0.0,
                     tail=lambda atom: f"      {'HETA' if atom.is_ligand else 'PROA'}{atom.element:>2}",
                     foot=_waters("TIP3"[:3], ("9999", "2710", "271a")) + "END\n"), "LIG")  # fmt: skip
    # Desmond and Flare export everything with occupancy 0.00.
    yield Style("zero-occupancy", "zero.pdb", _pdb("LIG", ligand="B", occupancy=0.0), "LIG")
    # SWISS-MODEL and Rosetta: ligands as chain X, TER between, pose energies after END (Rosetta's silent tail).
    yield Style("rosetta", "relaxed_0001.pdb",
                _pdb("LG1", ligand="X", number=1, ter="TER                                             \n",
                     foot="TER\n# All scores below are weighted scores.\nlabel fa_atr\n"), "LG1")  # fmt: skip
    # ChimeraX saves PDB with HETATM after TER and unchanged numbers (ChimeraX user guide, save pdb).
    yield Style("chimerax", "session.pdb",
                _pdb("LIG", ligand="A", ter="TER    1000      THR A1970\n", b=30.0), "LIG")  # fmt: skip
    yield Style("windows", "dos.pdb", _pdb("LIG", ligand="B").replace("\n", "\r\n"), "LIG")
    yield from _mmcif_programs()


def _mmcif_programs() -> Iterator[Style]:
    # phenix.refine and gemmi: atoms with few other categories, label_seq_id given, no final '#'.
    yield Style("phenix", "refine_001.cif", _mmcif("LIG", entities=False, end=""), "LIG")
    # AlphaFold 3 (docs/output.md of its repository): ModelCIF, ligands of a SMILES are LIG_<chain>, no final '#'.
    yield Style("alphafold3", "fold_model.cif", _mmcif("LIG_B", predicted=True, b=85.0, end=""), "LIG_B")
    # Boltz (data/write/mmcif.py): python-modelcif, ligands LIG1; and its PDB output (data/write/pdb.py).
    yield Style("boltz", "x_model_0.cif", _mmcif("LIG1", predicted=True, b=85.0, end="#\n"), "LIG1")
    yield Style("boltz-pdb", "x_model_1.pdb", _pdb("LIG", ligand="B", number=1, ter="TER    1000      THR A1970\n",
                                                   b=85.0), "LIG")  # fmt: skip
    # Chai-1 (chai_lab/data/io/cif_utils.py): ModelCIF, ligands LIG<number>, separate chain.
    yield Style("chai", "pred.model_idx_0.cif", _mmcif("LIG2", predicted=True, b=85.0, end="#\n"), "LIG2")
    # A pipeline that gives ligands descriptive names, longer than codes of the PDB.
    yield Style("long-name", "long.cif", _mmcif("INHIBITOR_12", end="#\n"), "INLMK")


def _mmcif(code: str, *, entities: bool = True, predicted: bool = False, b: float = 20.0, end: str = "#\n") -> str:
    """Return the complex as mmCIF; the ligand is chain B."""
    lines = ["data_model\n#\n_entry.id model\n#\n"]
    if entities:
        lines.append("loop_\n_entity.id\n_entity.type\n1 polymer\n2 non-polymer\n#\n")
    if predicted:
        lines.append("loop_\n_ma_qa_metric.id\n_ma_qa_metric.mode\n_ma_qa_metric.name\n_ma_qa_metric.type\n"
                     "1 global pLDDT pLDDT\n2 local pLDDT pLDDT\n#\n")  # fmt: skip
    lines.append("loop_\n" + "".join(f"_atom_site.{tag}\n" for tag in _TAGS))
    first = complex_atoms()[0].number
    for serial, atom in enumerate(complex_atoms(), start=1):
        x, y, z = (f"{value:.3f}" for value in atom.xyz)
        own = ["HETATM", serial, atom.element, atom.name, ".", code, "B", 2, ".", "?", x, y, z, "1.00", b, 1, "B", 1]
        chain = ["ATOM", serial, atom.element, atom.name, ".", atom.comp_id, "A", 1, atom.number - first + 1, "?",
                 x, y, z, "1.00", b, atom.number, "A", 1]  # fmt: skip
        lines.append(" ".join(map(str, own if atom.is_ligand else chain)) + "\n")
    return "".join([*lines, end])


def write_style(style: Style, folder: Path) -> Path:
    """Write a file of a style and return it."""
    path = folder / style.file
    path.write_text(style.text, encoding="ascii", newline="")
    return path
