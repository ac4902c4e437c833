"""Kind of a user's file, by its content; its name counts only if the content fits several kinds."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from tethermap.base.packed import DAMAGED, ending_of, open_unpacked
from tethermap.formats.text import is_binary_cif, is_mmjson
from tethermap.sources.own.archives import is_archive

STRUCTURES = frozenset({"mmcif", "pdb", "pdbqt", "bcif", "mmjson"})
MMCIF = frozenset({"mmcif", "bcif", "mmjson"})
"""Structures that are mmCIF or become it."""

LIGANDS = frozenset({"sdf", "mol2", "dlg"})

COMPLEXES = frozenset({"maestro", "mol2-complex"})
"""Files that state the bonds of a protein with its ligands; see `tethermap.sources.own.split`."""

_HEAD = 1 << 16
_PDB = re.compile(
    rb"^(?:HEADER|OBSLTE|TITLE |COMPND|EXPDTA|REMARK|CRYST1|MODEL |ATOM  |HETATM|SEQRES|AUTHOR|DBREF)", re.MULTILINE
)
_PDBQT = re.compile(rb"^(?:ROOT|TORSDOF|BEGIN_RES|BRANCH)\b", re.MULTILINE)
_MOL = re.compile(rb"(?:[^\n]*\n){3}[ \d]{6}[^\n]*V[23]000", re.MULTILINE)
_MOL2_RESIDUE = re.compile(rb"^\s*\d+\s+CA(?:\s+-?\d+\.\d+){3}\s+\S+\s+\d+\s+[A-Z]{3}-?\d*\s", re.MULTILINE)
_LEAST_RESIDUES = 4
_DOCKED = re.compile(rb"^DOCKED: ", re.MULTILINE)
_NEVER_PDB = frozenset({"csv", "tsv", "smi", "npz", "mtz", "ccp4", "map", "md", "html", "fasta", "fa"})
_DATA = re.compile(rb"^\s*data_", re.MULTILINE | re.IGNORECASE)
_REMEDIES = (
    (b"PDBx:datablock", "PDBML; take the mmCIF file of the entry"),
    (b"\x1f\x9d", "compressed by compress (.Z); unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd; unpack it first"),
    (b"MMTF", "MMTF; take the mmCIF or BinaryCIF file of the entry"),
    (b"mmtfVersion", "MMTF; take the mmCIF or BinaryCIF file of the entry"),
    (b"xml-cml.org", "CML; write the ligand as SDF"),
    (b"<CDXML", "a drawing of ChemDraw, without coordinates; give docked ligands as SDF, formulas as SMILES"),
    (b"VjCD0100", "a drawing of ChemDraw, without coordinates; give docked ligands as SDF, formulas as SMILES"),
    (b"%VERSION ", "a topology of Amber; write the complex as PDB (ambpdb)"),
    (b"CDF\x01", "a trajectory; write one frame as PDB"),
    (b"CDF\x02", "a trajectory; write one frame as PDB"),
    (b"\x89HDF", "a trajectory; write one frame as PDB"),
    (b"T\x00\x00\x00CORD", "a trajectory; write one frame as PDB"),
)
"""Signs of unsupported formats, and the remedy."""

_NUMBER = rb"[ \t]+-?\d+\.\d+"
_COORDINATES = (
    (
        re.compile(rb"[^\n]*\n *\d+ *\n *\d+[A-Za-z0-9+*'-]{1,5} *[\w*'+-]+ *\d+" + _NUMBER * 3 + rb"[^\n]*\n"),
        "coordinates of GROMACS (.gro), which name no elements and chains; write it as PDB (gmx editconf)",
    ),
    (
        re.compile(rb"\s*\d+[ \t]*\n[^\n]*\n *[A-Za-z]{1,2}\d*" + _NUMBER * 3 + rb"[^\n]*\n"),
        "XYZ coordinates, which name no residues; write the complex as PDB, a ligand as SDF",
    ),
    (
        re.compile(rb"(?:\*[^\n]*\n)+ *\d+(?: +EXT)? *\n *\d+ +\d+ +\w+ +\S+" + _NUMBER * 3),
        "coordinates of CHARMM (.crd), which name no elements; write it as PDB",
    ),
    (
        re.compile(rb"(?:.*\n)*?\s*_atom_site_(?:label|fract_x|type_symbol)\b", re.IGNORECASE),
        "a CIF file of small molecules, which names no residues; write the complex as PDB or mmCIF, a ligand as SDF",
    ),
)
"""Unsupported formats of coordinates, by their first lines, and the remedy."""


def kind_of(path: Path) -> tuple[str, str]:
    """Return the kind of a file, and for kind ``other`` the reason why it is not used.

    Kinds are ``archive``, those of `STRUCTURES`, `LIGANDS` and `COMPLEXES`, and ``text`` for tables, confidences, maps
    and all that its name decides.

    Parameters
    ----------
    path : Path
        The file, packed or not.
    """
    name = path.name.lower()
    try:
        if is_archive(path):
            return "archive", ""
        with open_unpacked(path) as stream:
            head = stream.read(_HEAD)
    except DAMAGED:
        return "text", ""  # the reader reports the fault
    if is_binary_cif(head) or (name.removesuffix(".gz").endswith(".bcif") and b"encoder" in head[:200]):
        return "bcif", ""
    start = head[:4000].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if reason := next((text for sign, text in _REMEDIES if sign.lower() in start[:2000].lower()), ""):
        return "other", reason
    if is_mmjson(start):
        return ("mmjson" if b"atom_site" in head else "text"), ""
    if b"s_m_m2io_version" in start[:2000]:
        return "maestro", ""
    if start[:1] in (b"{", b"[", b"<"):
        return "text", ""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "replace").encode()
    head = head.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if reason := next((text for sign, text in _COORDINATES if sign.match(head[:4000])), ""):
        return "other", reason
    return _kind_of_text(head, ending_of(name)), ""


def _kind_of_text(head: bytes, ending: str) -> str:
    """Return the kind of a text by its beginning."""
    if b"@<TRIPOS>MOLECULE" in head:
        return "mol2-complex" if len(_MOL2_RESIDUE.findall(head)) >= _LEAST_RESIDUES else "mol2"
    if _DOCKED.search(head) or head.lstrip().startswith(b"AutoDock"):
        return "dlg"
    if _MOL.match(head) or (ending in ("sdf", "sd", "mol") and not _PDB.search(head[:2000])):
        return "sdf"
    if _DATA.search(head[:8000]):
        return "mmcif"
    if ending in _NEVER_PDB or not _PDB.search(head):
        return "text"
    return "pdbqt" if _PDBQT.search(head) else "pdb"


def stem_of(name: str) -> str:
    """Return a file's name without its endings.

    >>> stem_of("complex.pdb.txt"), stem_of("1abc.pdb1.gz"), stem_of("pred.model_idx_0.cif")
    ('complex', '1abc', 'pred.model_idx_0')
    """
    stem = name
    while (match := _ENDING.fullmatch(stem)) is not None:
        stem = match[1]
    return stem


_ENDING = re.compile(
    r"(.+)\.(?:cif|mmcif|mcif|bcif|ent|pdb\d{0,3}|pdbqt|json|sdf|sd|mol|mol2|dlg|mae|maegz|txt|gz|bz2|xz|zip|tar|tgz)",
    re.IGNORECASE,
)
