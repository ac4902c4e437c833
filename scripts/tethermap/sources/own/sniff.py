"""Kind of a user's file, by its content; its name counts only if the content fits several kinds."""

import re
from dataclasses import dataclass
from pathlib import Path

from tethermap.base.packed import DAMAGED, ending_of, open_unpacked
from tethermap.base.reference import rows_of
from tethermap.formats.text import is_binary_cif, is_mmjson, without_mark
from tethermap.sources.own.archives import is_archive

STRUCTURES = frozenset({"mmcif", "pdb", "pdbqt", "bcif", "mmjson"})
MMCIF = frozenset({"mmcif", "bcif", "mmjson"})
"""Structures that are mmCIF or become it."""

LIGANDS = frozenset({"sdf", "mol2", "dlg"})

COMPLEXES = frozenset({"maestro", "mol2-complex"})
"""Files that state the bonds of a protein with its ligands; see `tethermap.sources.own.split`."""

_MAPS = ("mtz", "ccp4", "map", "mrc")
BESIDE = {"json": "confidence", "npz": "confidence", "xml": "validation", **dict.fromkeys(_MAPS, "map")}
"""Kinds of files that accompany models, by their ending."""

_HEAD = 1 << 16
_PDB = re.compile(
    rb"^(?:HEADER|OBSLTE|TITLE |COMPND|EXPDTA|REMARK|CRYST1|MODEL |ATOM  |HETATM|SEQRES|AUTHOR|DBREF)", re.MULTILINE
)
_PDBQT = re.compile(rb"^(?:ROOT|TORSDOF|BEGIN_RES|BRANCH)\b", re.MULTILINE)
_MOL = re.compile(rb"(?:[^\n]*\n){3}[ \d]{6}[^\n]*V[23]000", re.MULTILINE)
_MOL2_RESIDUE = re.compile(rb"^\s*\d+\s+CA(?:\s+-?\d+\.\d+){3}\s+\S+\s+\d+\s+[A-Z]{3}-?\d*\s", re.MULTILINE)
_LEAST_RESIDUES = 4
_DOCKED = re.compile(rb"^DOCKED: ", re.MULTILINE)
_NEVER_PDB = frozenset({"csv", "tsv", "smi", "npz", *_MAPS, "md", "html", "fasta", "fa"})
_ENDINGS = re.compile(
    r"(?<=.)(?:\.(?:[mb]?cif|mmcif|ent|pdb\d{0,3}|pdbqt|json|sdf?|mol2?|dlg|mae|maegz|txt|gz|bz2|xz|zip|tar|tgz))+\Z",
    re.IGNORECASE,
)
_DATA = re.compile(rb"^\s*data_", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StructureFile:
    """A file that contains an entry.

    Parameters
    ----------
    entry_id : str
        Lower-case id.
    place : str
        Its path as text: a mirror has a quarter of a million.
    is_mmcif : bool
        Whether it is mmCIF by its name.
    """

    entry_id: str
    place: str
    is_mmcif: bool

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.place)


def unsupported(by: str) -> list[tuple[re.Pattern[str], str]]:
    """Return patterns of unsupported formats, each with the remedy.

    Parameters
    ----------
    by : str
        Content of the pattern: ``name`` (all of it, lower case), ``first bytes`` or ``first lines``.
    """
    rows = (row for row in rows_of("unsupported_formats") if row["by"] == by)
    return [(re.compile(row["pattern"], re.IGNORECASE | re.ASCII), row["remedy"]) for row in rows]


_SIGNS, _FIRST_LINES = unsupported("first bytes"), unsupported("first lines")


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
    signs = start[:2000].decode("latin-1")
    if reason := next((text for pattern, text in _SIGNS if pattern.search(signs)), ""):
        return "other", reason
    if is_mmjson(start):
        return ("mmjson" if b"atom_site" in head else "text"), ""
    if b"s_m_m2io_version" in start[:2000]:
        return "maestro", ""
    if start[:1] in (b"{", b"[", b"<"):
        return "text", ""
    head = without_mark(head).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = head[:4000].decode("latin-1")
    if reason := next((text for pattern, text in _FIRST_LINES if pattern.match(lines)), ""):
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
    return _ENDINGS.sub("", name)
