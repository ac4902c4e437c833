"""List the het groups of an entry without the pipeline's parser: biotite for mmCIF, columns for PDB files."""

from __future__ import annotations

import gzip
import io
from collections import Counter
from pathlib import Path

from biotite.structure.io import pdbx

WATER = {"HOH", "DOD", "WAT", "H2O"}
STANDARD = {
    *("ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU", "GLY", "HIS", "ILE"),
    *("LEU", "LYS", "MET", "PHE", "PRO", "SER", "THR", "TRP", "TYR", "VAL"),
    *("A", "C", "G", "U", "I", "DA", "DC", "DG", "DT", "DU", "DI"),
}

HetGroups = Counter[tuple[str, str, str]]
"""How often each (author chain, component, number with insertion code) occurs."""


def het_groups(path: Path) -> HetGroups:
    """Return every residue of the first model that is neither water nor a standard polymer residue."""
    text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
    return _of_mmcif(text) if path.name.endswith(".cif.gz") else _of_pdb(text)


def _of_mmcif(text: str) -> HetGroups:
    block = pdbx.CIFFile.read(io.StringIO(text)).block
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
