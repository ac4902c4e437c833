"""One complex as any program may write it: the same atoms, elements and names, whatever the file looks like."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.styles import Atom, complex_atoms
from tethermap.components.component import Component
from tethermap.entry.reader import Entry, read_entry
from tethermap.formats.guess_elements import guess_elements
from tethermap.sources.files import FilesSource

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
CHAINS = st.sampled_from(["A", "B", " ", "1", "z"])


def check(entry: Entry) -> None:
    """Check the ligand's heavy atoms and that the protein is whole."""
    atoms = entry.atoms
    of_ligand = atoms.comp_id == b"LIG"
    expected = [atom for atom in complex_atoms() if atom.is_ligand]
    order = np.argsort(atoms.name[of_ligand])
    by_name = sorted(expected, key=lambda atom: atom.name.encode())
    assert atoms.element[of_ligand][order].astype(str).tolist() == [atom.element for atom in by_name]
    assert np.allclose(atoms.xyz[of_ligand][order], [atom.xyz for atom in by_name], atol=0.002)
    protein = [atom for atom in complex_atoms() if not atom.is_ligand]
    assert atoms.element[~of_ligand].astype(str).tolist() == [atom.element for atom in protein]
    assert len(set(atoms.residue[of_ligand].tolist())) == 1


def read_as_own(folder: Path, name: str, data: bytes) -> Entry:
    """Read a file as the source of a user's files gives it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
    source = FilesSource([folder], folder.parent / "cache").open()
    (entry_id,) = source.all_entries()
    entry = read_entry(source.fetch(entry_id).path, entry_id)
    source.close()
    check(read_entry(folder / name, "x"))  # the reader itself takes it too
    return entry


@given(
    element=st.sampled_from(["right", "left", "lower", "absent", "type", "segment", "old"]),
    names=st.sampled_from(["usual", "left", "right"]),
    protein=CHAINS,
    ligand=CHAINS,
    record=st.sampled_from(["HETATM", "ATOM"]),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    end=st.sampled_from(["", "END", "cat", "models"]),
    mark=st.booleans(),
    b=st.sampled_from([20.0, 1234.5]),
    packer=st.sampled_from(sorted(PACKERS)),
    suffix=st.sampled_from([".pdb", ".ent", ".pdb1", ".pdb.txt", ".txt", ""]),
)
@settings(max_examples=60)
def test_pdb_files(
    tmp_path_factory: pytest.TempPathFactory, element: str, names: str, protein: str, ligand: str, record: str,
    ending: str, end: str, mark: bool, b: float, packer: str, suffix: str,
) -> None:  # fmt: skip
    lines = []
    for serial, atom in enumerate(complex_atoms(), start=1):
        if atom.is_ligand and end in ("cat", "models") and "END" not in lines:
            lines += ["END", *(["MODEL        1"] if end == "models" else [])]
        lines.append(_pdb_line(serial, atom, element, names, ligand if atom.is_ligand else protein,
                               record if atom.is_ligand else "ATOM", b))  # fmt: skip
    lines += {"": [], "END": ["END"], "cat": ["END"], "models": ["ENDMDL", "END"]}[end]
    data = (b"\xef\xbb\xbf" if mark else b"") + ending.join([*lines, ""]).encode()
    check(read_as_own(tmp_path_factory.mktemp("pdb") / "own", f"x{suffix}{packer}", PACKERS[packer](data)))


def _pdb_line(serial: int, atom: Atom, element: str, names: str, chain: str, record: str, b: float) -> str:
    usual = atom.name if len(atom.name) == 4 else f" {atom.name}"
    name = {"usual": f"{usual:<4}", "left": f"{atom.name:<4}", "right": f"{atom.name:>4}"}[names]
    comp_id, number = ("LIG", 9001) if atom.is_ligand else (atom.comp_id, atom.number)
    symbol = atom.element.upper()
    tail = {
        "right": f"      {'':4}{symbol:>2}",
        "left": f"      {'':4}{symbol:<2}",
        "lower": f"      {'':4}{symbol.lower():>2}",
        "absent": "",
        "type": f"      {'':4}{symbol.lower()}3  ",
        "segment": f"      {symbol:<4}    ",
        "old": f"      2ITY{serial:4d}",
    }[element]
    x, y, z = atom.xyz
    return (
        f"{record:<6}{serial:5d} {name} {comp_id:>3}{chain:>2}{number:4d}    {x:8.3f}{y:8.3f}{z:8.3f}"
        f"{1.0:6.2f}{b:6.2f}{tail}"
    )


OPTIONAL = (
    *("group_PDB", "id", "type_symbol", "label_alt_id", "label_entity_id", "pdbx_PDB_ins_code", "occupancy"),
    *("B_iso_or_equiv", "auth_seq_id", "auth_comp_id", "auth_asym_id", "auth_atom_id", "pdbx_PDB_model_num"),
)
NEEDED = ("label_atom_id", "label_comp_id", "label_asym_id", "label_seq_id", "Cartn_x", "Cartn_y", "Cartn_z")


@given(
    items=st.sets(st.sampled_from(OPTIONAL)).flatmap(lambda chosen: st.permutations([*NEEDED, *sorted(chosen)])),
    indent=st.sampled_from(["", "  ", "\t"]),
    case=st.sampled_from([str, str.lower, str.upper]),
    quoted=st.booleans(),
    mark=st.booleans(),
    ending=st.sampled_from(["\n", "\r\n"]),
    chains=st.sampled_from([("A", "B"), ("A", "A"), ("AA", "L1"), ("'A 1'", "'L/1'")]),
    packer=st.sampled_from(sorted(PACKERS)),
    suffix=st.sampled_from([".cif", ".mmcif", ".cif.txt", ".txt"]),
)
@settings(max_examples=60)
def test_mmcif_files(
    tmp_path_factory: pytest.TempPathFactory, items: list[str], indent: str, case: Callable[[str], str], quoted: bool,
    mark: bool, ending: str, chains: tuple[str, str], packer: str, suffix: str,
) -> None:  # fmt: skip
    lines = ["data_x", "_exptl.entry_id x", f"_exptl.crystals_number {chr(39) * quoted}1{chr(39) * quoted}", "loop_"]
    lines += [f"{indent}{case('_atom_site.')}{case(item)}" for item in items]
    for serial, atom in enumerate(complex_atoms(), start=1):
        chain = chains[atom.is_ligand]
        comp_id, number = ("LIG", "901") if atom.is_ligand else (atom.comp_id, str(atom.number))
        x, y, z = (f"{value:.3f}" for value in atom.xyz)
        values = {
            "group_PDB": "HETATM" if atom.is_ligand else "ATOM", "id": str(serial), "type_symbol": atom.element,
            "label_atom_id": atom.name, "label_alt_id": ".", "label_comp_id": comp_id, "label_asym_id": chain,
            "label_entity_id": "2" if atom.is_ligand else "1", "label_seq_id": "." if atom.is_ligand else number,
            "pdbx_PDB_ins_code": "?", "Cartn_x": x, "Cartn_y": y, "Cartn_z": z, "occupancy": "1.00",
            "B_iso_or_equiv": "20.0", "auth_seq_id": number, "auth_comp_id": comp_id, "auth_asym_id": chain,
            "auth_atom_id": atom.name, "pdbx_PDB_model_num": "1",
        }  # fmt: skip
        lines.append(indent + " ".join(values[item] for item in items))
    data = (b"\xef\xbb\xbf" if mark else b"") + ending.join([*lines, "#", ""]).encode()
    entry = read_as_own(tmp_path_factory.mktemp("cif") / "own", f"x{suffix}{packer}", PACKERS[packer](data))
    check(entry)
    assert bool(entry.numbered) == ("auth_seq_id" not in items)


CODES = "IRE STI 1N1 LFM 08K BFM CHT TDG HEM B12 ATP PLP SAM BRB CLM T3"


def test_elements_of_dictionary_components_are_guessed_from_names_and_distances(
    known: Callable[[str], Component],
) -> None:
    wrong = []
    for code in CODES.split():
        component = known(code)
        atoms = [atom for atom in component.atoms if atom.xyz is not None]
        xyz = np.array([atom.xyz for atom in atoms])
        guessed = guess_elements(
            ["1"] * len(atoms), ["LIG"] * len(atoms), [atom.name for atom in atoms], xyz, [""] * len(atoms)
        )
        wrong += [(code, atom.name, one) for atom, one in zip(atoms, guessed, strict=True) if atom.element != one]
    assert wrong == []
