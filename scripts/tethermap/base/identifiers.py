"""Names of external databases: PDB entries, UniProt accessions, chemical components."""

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache

ENTRY_ID = r"[0-9][A-Za-z0-9]{3}|[Pp][Dd][Bb]_[A-Za-z0-9]{8}"
"""A PDB id in any case, classic or extended, as a regular expression."""

COMPONENT_CODE = r"[A-Za-z0-9][A-Za-z0-9_]{0,4}"
"""The code of a component in any case: the dictionary's, and those of other programs such as AlphaFold's ``LIG_B``."""

SMILES_COLUMN = re.compile(r"(?:(?:canonical|isomeric|iso)[ _]?)?smi(?:les)?", re.IGNORECASE)
"""Name of the column of a table that contains the SMILES."""

SMILES_EXTENSION = re.compile(r"\s\|[^|]*\|(?=\s|$)")
"""Extension of a SMILES (CXSMILES) with the blank before it."""

UNKNOWN_BOND = "unknown"
"""Word for the order of a bond in the definition of a ligand whose own file has unusable orders."""

_MARKUP = re.compile(r"[~_]\{([^{}]+)\}|\^\{([^{}]+)\}|~([\d',\s]+)~")
"""Marks of names in the dictionary for italics, lowered and raised text: OpenEye's in braces, ACD/Name's doubled."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CLASSIC_ID = re.compile(r"[0-9][a-z0-9]{3}")
_FILE = re.compile(
    rf"(?:(?:RCSB[:_-]?)?(?:ww)?PDB[ej]?[:=#_-]?)?({ENTRY_ID})(?:\.(?:cif|mmcif|bcif|pdb|ent|xml)(?:\.gz)?)?",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"(?:^|[/.:])(?:rcsb\.org|wwpdb\.org|pdbj\.org|pdbe\.org|ebi\.ac\.uk|uniprot\.org|proteopedia\.org|identifiers\.org"
    r"|pdb-redo\.eu|10\.2210)/(.*)",
    re.IGNORECASE,
)
"""Pages and files of an entry or a protein, and the DOI of an entry."""

_UNIPROT = re.compile(r"uni-?prot(?:kb)?[:=#/_-]|(?:sp|tr)\|", re.IGNORECASE)
_ACCESSION = re.compile(r"[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2}")
"""UniProt's own expression: https://www.uniprot.org/help/accession_numbers."""


def entry_id_of(word: str) -> str:
    """Return the lower-case entry id if a word looks like one, else an empty text.

    An extended id of a classic entry is given its four characters.

    >>> entry_id_of("5T35"), entry_id_of("pdb_00005t35"), entry_id_of("BRD4")
    ('5t35', '5t35', '')
    """
    if re.fullmatch(ENTRY_ID, word) is None:
        return ""
    entry_id = word.lower()
    classic = entry_id.removeprefix("pdb_0000")
    return classic if _CLASSIC_ID.fullmatch(classic) else entry_id


def marked_entry(word: str) -> str:
    """Return the id of the entry that a word names as such, lower case; empty if it names none or is a bare id.

    >>> marked_entry("PDB:2ITY"), marked_entry("https://www.rcsb.org/structure/2ITY"), marked_entry("2ITY")
    ('2ity', '2ity', '')
    >>> marked_entry("doi:10.2210/pdb2ity/pdb"), marked_entry("pdb_00002ity"), marked_entry("2ity.cif.gz")
    ('2ity', '2ity', '2ity')
    """
    if _CLASSIC_ID.fullmatch(word.lower()):
        return ""
    named = (match[1] for match in map(_FILE.fullmatch, _pieces(word)) if match)
    return entry_id_of(next(named, ""))


def marked_accession(word: str) -> str:
    """Return the UniProt accession that a word names as such, upper case; empty if it names none or is a bare one.

    >>> marked_accession("UniProt:P00533"), marked_accession("https://www.uniprot.org/uniprotkb/P00533/entry")
    ('P00533', 'P00533')
    """
    label = _UNIPROT.match(word)
    pieces = re.split(r"[|/:]", word[label.end() :]) if label else _pieces(word) if "/" in word else ()
    codes = (accession(re.sub(r"^AF-|\.(?:fasta|txt|xml|json)$", "", piece)) for piece in pieces)
    return next(filter(None, codes), "")


def _pieces(word: str) -> list[str]:
    """Return the parts of a web address that may name an entry; a list of the word itself for any other text."""
    address = _ADDRESS.search(word)
    return re.split("[/?&=#:]", address[1]) if address else [word]


def is_entry_id(text: str) -> bool:
    """Return whether a text is a lower-case PDB id, safe as part of a file name."""
    return text == text.lower() and re.fullmatch(ENTRY_ID, text) is not None


def is_component_code(text: str) -> bool:
    """Return whether a text is the code of a component in the dictionary, safe as part of a file name."""
    return text == text.upper() and re.fullmatch("[A-Z0-9]{1,5}", text) is not None


@lru_cache(4096)
def short_code(name: str) -> str:
    """Return a fixed code for a component whose name is too long for a code or contains other signs.

    >>> short_code("LIG_B"), short_code("INHIBITOR_12")
    ('LIG_B', 'INLMK')
    """
    if re.fullmatch(COMPONENT_CODE, name):
        return name
    number = int.from_bytes(hashlib.sha256(name.upper().encode("utf-8", "replace")).digest()[:8], "big")
    letters = re.sub("[^A-Za-z0-9]", "", name)[:2].upper() or "L"
    return letters + "".join(_DIGITS[number // 36**k % 36] for k in range(3))


def accession(text: str) -> str:
    """Return a UniProt accession in upper case without its isoform; empty if the text is not an accession.

    >>> accession("p00533-2"), accession("EGFR")
    ('P00533', '')
    """
    bare = text.strip().upper().partition("-")[0]
    return bare if _ACCESSION.fullmatch(bare) else ""


def plain_name(name: str) -> str:
    """Return a chemical name without the marks that the dictionary sets for italics, raised figures and lambda.

    >>> plain_name("~{tert}-butyl (2~{S})-2-azanyl-tricyclo[8.3.0.0^{2,6}]trideca")
    'tert-butyl (2S)-2-azanyl-tricyclo[8.3.0.0(2,6)]trideca'
    >>> plain_name("N~2~,N~2~-dimethyl-tricyclo[3.3.1.1~3,7~]dec-1-yl-$l^{5}-phosphane")
    'N(2),N(2)-dimethyl-tricyclo[3.3.1.1(3,7)]dec-1-yl-lambda(5)-phosphane'
    """
    plain = _MARKUP.sub(lambda match: match[1] or f"({match[2] or match[3]})", name)
    return plain.replace("$l", "lambda")


def is_utf8(name: str) -> bool:
    """Return whether a text is valid Unicode; names of files may have any bytes.

    >>> is_utf8("Gr\\udcf6\\udcdfe")
    False
    """
    return not _SURROGATE.search(name)


def unique(names: Iterable[str | None]) -> tuple[str, ...]:
    """Return the names that are not empty, each once, in order.

    >>> unique(["A", "", "B", None, "A"])
    ('A', 'B')
    """
    return tuple(dict.fromkeys(name for name in names if name))
