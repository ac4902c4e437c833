"""What a user's file is, by its content; its name counts only if the content fits several kinds."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from tethermap.base.packed import DAMAGED, open_unpacked
from tethermap.formats.text import is_binary_cif, is_mmjson
from tethermap.sources.own.archives import is_archive

STRUCTURES = frozenset({"mmcif", "pdb", "pdbqt", "bcif", "mmjson"})
MMCIF = frozenset({"mmcif", "bcif", "mmjson"})
"""Structures that are mmCIF or become it."""

LIGANDS = frozenset({"sdf", "mol2", "dlg"})

_HEAD = 1 << 16
_PACKED = (".gz", ".bz2", ".xz")
_PDB = re.compile(
    rb"^(?:HEADER|OBSLTE|TITLE |COMPND|EXPDTA|REMARK|CRYST1|MODEL |ATOM  |HETATM|SEQRES|AUTHOR|DBREF)", re.MULTILINE
)
_PDBQT = re.compile(rb"^(?:ROOT|TORSDOF|BEGIN_RES|BRANCH)\b", re.MULTILINE)
_MOL = re.compile(rb"(?:[^\n]*\n){3}[ \d]{6}[^\n]*V[23]000", re.MULTILINE)
_DOCKED = re.compile(rb"^DOCKED: ", re.MULTILINE)
_NEVER_PDB = frozenset({"csv", "tsv", "smi", "npz", "mtz", "ccp4", "map", "md", "html", "fasta", "fa"})
_DATA = re.compile(rb"^\s*data_", re.MULTILINE | re.IGNORECASE)
_REMEDIES = (
    (b"s_m_m2io_version", "a file of Maestro; export it as PDB or mmCIF, ligands as SDF"),
    (b"PDBx:datablock", "PDBML; take the mmCIF file of the entry"),
    (b"\x1f\x9d", "compressed by compress (.Z); unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd; unpack it first"),
    (b"MMTF", "MMTF; take the mmCIF or BinaryCIF file of the entry"),
    (b"mmtfVersion", "MMTF; take the mmCIF or BinaryCIF file of the entry"),
    (b"<!doctype html", "a web page; download the file itself"),
    (b"<html", "a web page; download the file itself"),
)
"""Signs of formats that are not read, and what to do."""


def kind_of(path: Path) -> tuple[str, str]:
    """Return the kind of a file, and for kind ``other`` the reason why it is not used.

    Kinds are ``archive``, those of `STRUCTURES` and `LIGANDS`, ``json``, and ``text`` for tables, confidences, maps
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
        return "text", ""  # the reader says what is wrong
    if is_binary_cif(head) or (name.removesuffix(".gz").endswith(".bcif") and b"encoder" in head[:200]):
        return "bcif", ""
    start = head[:4000].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if reason := next((text for sign, text in _REMEDIES if sign.lower() in start[:2000].lower()), ""):
        return "other", reason
    if is_mmjson(start):
        return ("mmjson" if b"atom_site" in head else "text"), ""
    if start[:1] in (b"{", b"[", b"<"):
        return "text", ""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "replace").encode()
    head = head.removeprefix(codecs.BOM_UTF8)
    return _kind_of_text(head.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), ending_of(name)), ""


def _kind_of_text(head: bytes, ending: str) -> str:
    """Return the kind of a text by its beginning."""
    if b"@<TRIPOS>MOLECULE" in head:
        return "mol2"
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


def ending_of(name: str) -> str:
    """Return the last ending of a name but those of packers, in lower case."""
    for packer in _PACKED:
        name = name.lower().removesuffix(packer)
    return name.rpartition(".")[2]


_ENDING = re.compile(
    r"(.+)\.(?:cif|mmcif|mcif|bcif|ent|pdb\d{0,3}|pdbqt|json|sdf|sd|mol|mol2|dlg|txt|gz|bz2|xz|zip|tar|tgz)",
    re.IGNORECASE,
)
