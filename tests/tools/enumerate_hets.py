"""List the het groups of an entry without the pipeline's parser: biotite for mmCIF, columns for PDB files."""

from __future__ import annotations

import gzip
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from biotite.structure.io import pdbx

WATER = {"HOH", "DOD", "WAT", "H2O"}
STANDARD = {
    *("ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU", "GLY", "HIS", "ILE"),
    *("LEU", "LYS", "MET", "PHE", "PRO", "SER", "THR", "TRP", "TYR", "VAL"),
    *("A", "C", "G", "U", "I", "DA", "DC", "DG", "DT", "DU", "DI"),
}

HetGroups = Counter[tuple[str, str, str]]
"""How often each (author chain, component, number with insertion code) occurs."""


@dataclass(frozen=True, slots=True)
class HetAtom:
    """A deposited atom of a het group: name, label of the alternate, element, coordinates in angstroms."""

    name: str
    altloc: str
    element: str
    xyz: tuple[float, float, float]


Deposited = tuple[HetGroups, dict[tuple[str, str, str], list[HetAtom]]]


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
    if path.name.endswith(".cif.gz"):
        block = pdbx.CIFFile.read(io.StringIO(text)).block
        groups = _of_mmcif(block)
        rows = _mmcif_atoms(block, {comp_id for _, comp_id, _ in groups})
    else:
        groups, rows = _of_pdb(text), _pdb_atoms(text)
    atoms: dict[tuple[str, str, str], list[HetAtom]] = {}
    for key, atom in rows:
        if key[1] not in WATER and atom.element not in {"H", "D"}:
            atoms.setdefault(key, []).append(atom)
    return groups, {key: found for key, found in atoms.items() if key in groups}


def _of_mmcif(block: pdbx.CIFBlock) -> HetGroups:
    sites = block["atom_site"]
    entity = block["entity"]
    kinds = dict(zip(entity["id"].as_array(str), entity["type"].as_array(str), strict=True))
    names = ("auth_asym_id", "auth_comp_id", "auth_seq_id", "pdbx_PDB_ins_code", "label_asym_id", "label_entity_id")
    columns = [sites[name].as_array(str).tolist() for name in names if name in sites]
    models = sites["pdbx_PDB_model_num"].as_array(str).tolist() if "pdbx_PDB_model_num" in sites else None
    found: dict[tuple[str, ...], None] = {}
    for number, (chain, comp_id, residue, ins_code, asym, entity_id) in enumerate(zip(*columns, strict=True)):
        if models and models[number] != models[0]:
            continue
        kind = kinds[entity_id]
        if kind == "water" or comp_id in WATER or (kind == "polymer" and comp_id in STANDARD):
            continue
        found[chain, comp_id, residue + ins_code.strip("?."), asym] = None
    return Counter((chain, comp_id, residue) for chain, comp_id, residue, _ in found)


def _of_pdb(text: str) -> HetGroups:
    found: dict[tuple[str, str, str], None] = {}
    for line in text.splitlines():
        if line.startswith("ENDMDL"):
            break
        if line.startswith(("ATOM  ", "HETATM")):
            comp_id = line[17:20].strip()
            if comp_id in WATER or (comp_id in STANDARD and line.startswith("ATOM")):
                continue
            found[line[21].strip(), comp_id, line[22:27].strip()] = None
    return Counter(found.keys())


def _mmcif_atoms(block: pdbx.CIFBlock, comp_ids: set[str]) -> Iterator[tuple[tuple[str, str, str], HetAtom]]:
    """Yield the atoms of the first model in residues of these components."""
    sites = block["atom_site"]
    wanted = np.isin(sites["auth_comp_id"].as_array(str), list(comp_ids))
    if "pdbx_PDB_model_num" in sites:
        models = sites["pdbx_PDB_model_num"].as_array(str)
        wanted &= models == models[0]
    names = ("auth_asym_id", "auth_comp_id", "auth_seq_id", "pdbx_PDB_ins_code", "auth_atom_id", "label_alt_id")
    read = (*names, "type_symbol", "Cartn_x", "Cartn_y", "Cartn_z")
    columns = [sites[name].as_array(str)[wanted].tolist() for name in read]
    for chain, comp_id, residue, code, name, altloc, element, *xyz in zip(*columns, strict=True):
        x, y, z = (float(value) for value in xyz)
        atom = HetAtom(name, altloc.strip("?."), element.capitalize(), (x, y, z))
        yield (chain, comp_id, residue + code.strip("?.")), atom


def _pdb_atoms(text: str) -> Iterator[tuple[tuple[str, str, str], HetAtom]]:
    for line in text.splitlines():
        if line.startswith("ENDMDL"):
            return
        if line.startswith(("ATOM  ", "HETATM")):
            xyz = (float(line[30:38]), float(line[38:46]), float(line[46:54]))
            element = line[76:78].strip().capitalize()
            key = (line[21].strip(), line[17:20].strip(), line[22:27].strip())
            yield key, HetAtom(line[12:16].strip(), line[16].strip(), element, xyz)
