"""List the het groups of an entry without the pipeline's parser: biotite for mmCIF, columns for PDB files."""

import gzip
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from biotite.structure.io import pdbx

from tests.tools.runs import grouped

WATER = {"HOH", "DOD", "WAT", "H2O"}
STANDARD = {
    *("ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU", "GLY", "HIS", "ILE"),
    *("LEU", "LYS", "MET", "PHE", "PRO", "SER", "THR", "TRP", "TYR", "VAL"),
    *("A", "C", "G", "U", "I", "DA", "DC", "DG", "DT", "DU", "DI"),
}

_STANDARD_ATOMS = re.compile(rf"^ATOM +(?!1 )\d+ +\S+ +\S+ +\S+ +(?:{'|'.join(sorted(STANDARD))}) .*\n", re.MULTILINE)
"""Lines of the wwPDB's mmCIF files that biotite, which takes a second for a large entry, need not read."""

Key = tuple[str, str, str]
HetGroups = Counter[Key]
"""How often each (author chain, component, number with insertion code) occurs."""


@dataclass(frozen=True, slots=True)
class HetAtom:
    """A deposited atom of a het group: name, label of the alternate, element, coordinates in angstroms."""

    name: str
    altloc: str
    element: str
    xyz: tuple[float, float, float]


Deposited = tuple[HetGroups, dict[Key, list[HetAtom]]]


def deposited(path: Path) -> Deposited:
    """Return every residue of the first model that is neither water nor a standard one of a polymer, and all atoms.

    Parameters
    ----------
    path : Path
        A gzipped mmCIF or PDB file.

    Returns
    -------
    Deposited
        Number of occurrences of each group; the heavy atoms of every residue except water, by group.
    """
    text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
    rows = list(_mmcif_atoms(text) if path.name.endswith(".cif.gz") else _pdb_atoms(text))
    groups = Counter(key for key, _ in {(key, asym_id) for key, asym_id, _ in rows})
    heavy = ((key, atom) for key, _, atom in rows if atom.element not in {"H", "D"})
    atoms = {key: [atom for _, atom in found] for key, found in grouped(heavy, lambda row: row[0]).items()}
    return groups, atoms


def _mmcif_atoms(text: str) -> Iterator[tuple[Key, str, HetAtom]]:
    """Yield the atoms of the groups with their residue and the label of their chain."""
    block = pdbx.CIFFile.read(io.StringIO(_STANDARD_ATOMS.sub("", text))).block
    sites, entity = block["atom_site"], block["entity"]
    polymers = entity["id"].as_array(str)[entity["type"].as_array(str) == "polymer"]
    component, models = (
        sites[name].as_array(str) if name in sites else np.array([""])
        for name in ("auth_comp_id", "pdbx_PDB_model_num")
    )
    in_polymer = np.isin(sites["label_entity_id"].as_array(str), polymers)
    wanted = ~np.isin(component, list(WATER)) & ~(in_polymer & np.isin(component, list(STANDARD)))
    wanted &= models == models[0]
    names = ("auth_asym_id", "auth_comp_id", "auth_seq_id", "pdbx_PDB_ins_code", "label_asym_id", "auth_atom_id")
    read = (*names, "label_alt_id", "type_symbol", "Cartn_x", "Cartn_y", "Cartn_z")
    columns = [sites[name].as_array(str)[wanted].tolist() for name in read]
    for chain, comp_id, residue, code, asym_id, name, altloc, element, *xyz in zip(*columns, strict=True):
        x, y, z = map(float, xyz)
        atom = HetAtom(name, altloc.strip("?."), element.capitalize(), (x, y, z))
        yield (chain, comp_id, residue + code.strip("?.")), asym_id, atom


def _pdb_atoms(text: str) -> Iterator[tuple[Key, str, HetAtom]]:
    for line in text.partition("\nENDMDL")[0].splitlines():
        comp_id = line[17:20].strip()
        standard = comp_id in STANDARD and line.startswith("ATOM")
        if line.startswith(("ATOM  ", "HETATM")) and comp_id not in WATER and not standard:
            xyz = (float(line[30:38]), float(line[38:46]), float(line[46:54]))
            atom = HetAtom(line[12:16].strip(), line[16].strip(), line[76:78].strip().capitalize(), xyz)
            yield (line[21].strip(), comp_id, line[22:27].strip()), "", atom
