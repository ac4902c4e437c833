"""Read the metadata of an entry from a PDB-format file, of any age."""

import re
from collections.abc import Iterable, Iterator, Mapping
from time import strftime, strptime
from typing import NamedTuple

from tethermap.base.identifiers import accession, unique
from tethermap.base.tables import by_key
from tethermap.entry.mmcif_header import UNIPROT_NAMES, WATER, parent_letter, positive, split_names
from tethermap.entry.model import PREDICTED, EntryMetadata, LigandName
from tethermap.entry.pdb_polymers import Chains, polymer_entities
from tethermap.entry.text_search import first_line

_METHODS = (
    ("SOLID-STATE NMR", "SOLID-STATE NMR"),
    ("SOLID STATE NMR", "SOLID-STATE NMR"),
    ("NMR", "SOLUTION NMR"),
    ("CRYO", "ELECTRON MICROSCOPY"),
    ("ELECTRON MICROSCOPY", "ELECTRON MICROSCOPY"),
    ("ELECTRON", "ELECTRON CRYSTALLOGRAPHY"),
    ("NEUTRON", "NEUTRON DIFFRACTION"),
    ("FIBER", "FIBER DIFFRACTION"),
    ("POWDER", "POWDER DIFFRACTION"),
    ("THEORETICAL", "THEORETICAL MODEL"),
    ("X-RAY", "X-RAY DIFFRACTION"),
)
"""Words of old EXPDTA records and today's name of the method, the first that fits."""

_PREDICTION = re.compile(r"\bALPHAFOLD\b.*\bPREDICTION\b")
"""Titles of the AlphaFold database's files."""

_PREDICTOR = re.compile(r"\b(?:ALPHAFOLD|COLABFOLD|ESMFOLD|OPENFOLD|OMEGAFOLD|ROSETTAFOLD|BOLTZ|CHAI-?1|PROTENIX)")
"""Programs that write predictions as PDB files."""

_COORDINATES = ("\nATOM  ", "\nHETATM", "\nMODEL ")

Records = Mapping[str, list[str]]


def from_pdb(text: str, *, entry_id: str = "") -> EntryMetadata:
    """Return the metadata of PDB-format text; odd content leaves fields empty.

    Parameters
    ----------
    text : str
        The file's text; reading stops at the first coordinate.
    entry_id : str
        Id to use instead of the header's.
    """
    records = _records(text)
    header = (records.get("HEADER") or [""])[0].ljust(80)
    own_id = header[62:66].strip().lower()
    revisions = _revisions(records)
    citation = join_lines(line[19:80] for line in records.get("JRNL", ()) if line[12:16] == "TITL")
    resolution = _resolution(records)
    parents = {line[12:15].strip(): parent_letter(line[24:27].strip()) for line in records.get("MODRES", ())}
    chains = Chains(records.get("SEQRES", ()), parents)
    references = (line for name in ("DBREF", "DBREF1", "DBREF2") for line in records.get(name, ()))
    by_chain = by_key((one.chain, (one.accession, one.name)) for one in uniprot_references(references))
    replacing = (word.lower() for line in records.get("OBSLTE", ()) for word in line[31:75].split() if len(word) == 4)
    return EntryMetadata(
        entry_id=entry_id or own_id,
        title=_joined(records, "TITLE") or citation or _joined(records, "COMPND"),
        citation=citation,
        methods=_methods(records, resolution),
        resolution=resolution,
        release_date=revisions[min(revisions)] if revisions else "",
        revision_date=revisions[max(revisions)] if revisions else "",
        revision=str(max(revisions)) if revisions else "",
        keywords="; ".join(unique([header[10:50].strip(), _joined(records, "KEYWDS")])),
        entities=polymer_entities(_joined(records, "COMPND"), _joined(records, "SOURCE"), chains, by_chain),
        ligands=_ligands(records, chains),
        withdrawn="OBSLTE" in records,
        successors=unique(name for name in replacing if name != own_id),
    )


def iso_from_pdb(text: str) -> str:
    """Return the ISO date of ``31-MAR-95``; years from 70 on are of the last century."""
    try:
        return strftime("%Y-%m-%d", strptime(text.strip(), "%d-%b-%y"))
    except ValueError:
        return ""


def _records(text: str) -> dict[str, list[str]]:
    """Return the lines before the first coordinate by record name.

    Files from before 1996 repeat the entry id in columns 73-76, which are removed.
    """
    records: dict[str, list[str]] = {}
    own_id = ""
    for line in text[: first_line(text, _COORDINATES)].splitlines():
        name = line[:6].rstrip()
        if name == "HEADER" and not own_id:
            own_id = line[62:66].strip()
        records.setdefault(name, []).append(line[:72] if own_id and line[72:76] == own_id else line)
    return records


def _joined(records: Records, name: str) -> str:
    """Return the text of a record with its continuation lines."""
    return join_lines(line[10:80] for line in records.get(name, ()))


def join_lines(parts: Iterable[str]) -> str:
    """Join continuation lines: with a blank, or without after a hyphen."""
    text = ""
    for part in map(str.strip, parts):
        text += part if not text or text.endswith("-") else f" {part}"
    return " ".join(text.split())


def _methods(records: Records, resolution: float | None) -> tuple[str, ...]:
    """Return today's names of the methods.

    Files of the first years name a method only if it is not X-ray diffraction; a resolution distinguishes them from
    models.
    """
    texts = filter(None, map(str.strip, _joined(records, "EXPDTA").upper().split(";")))
    methods = [next((method for word, method in _METHODS if word in text), text) for text in texts]
    if not methods and (_PREDICTION.search(_joined(records, "TITLE").upper()) or _names_predictor(records)):
        methods.append(PREDICTED)
    if not methods and resolution is not None and "HEADER" in records:
        methods.append("X-RAY DIFFRACTION")
    return unique(methods)


def _names_predictor(records: Records) -> bool:
    """Return whether a file without cell and experiment names a program that predicts structures."""
    if "CRYST1" in records:
        return False
    lines = (line for name in ("TITLE", "REMARK", "COMPND", "AUTHOR") for line in records.get(name, ()))
    return any(_PREDICTOR.search(line.upper()) for line in lines)


def _resolution(records: Records) -> float | None:
    for line in records.get("REMARK", ()):
        if line[7:10] == "  2" and (match := re.search(r"RESOLUTION\.\s+(\d+\.?\d*)", line)):
            return positive(match[1])
    return None


def _revisions(records: Records) -> dict[int, str]:
    """Return the date of each revision by its number."""
    dates = ((line[7:10].strip(), iso_from_pdb(line[13:22])) for line in records.get("REVDAT", ()))
    return {int(number): date for number, date in dates if number.isdecimal() and date}


class Reference(NamedTuple):
    """A UniProt reference of a chain: accession, entry name, and the author's and UniProt's first and last number."""

    chain: str
    accession: str
    name: str
    ends: tuple[str, str]
    db_ends: tuple[str, str]


def uniprot_references(lines: Iterable[str]) -> Iterator[Reference]:
    """Yield the references to UniProt of DBREF, DBREF1 and DBREF2 records."""
    pending: dict[str, tuple[str, tuple[str, str]]] = {}
    for line in lines:
        chain, ends = line[12:13].strip(), (line[14:19].strip(), line[20:25].strip())
        if line.startswith("DBREF2") and chain in pending:
            yield Reference(chain, accession(line[18:40]), *pending[chain], (line[45:55].strip(), line[57:67].strip()))
        elif line[26:32].strip().upper() in UNIPROT_NAMES and line.startswith("DBREF1"):
            pending[chain] = line[47:67].strip(), ends
        elif line[26:32].strip().upper() in UNIPROT_NAMES:
            db_ends = line[55:60].strip(), line[62:67].strip()
            yield Reference(chain, accession(line[33:41]), line[42:54].strip(), ends, db_ends)


def _ligands(records: Records, chains: Chains) -> tuple[LigandName, ...]:
    """Return the components of HET records that are neither water nor residues of a chain, each once."""
    listed = {line[7:10].strip(): line[30:70].strip() for line in reversed(records.get("HET", ()))}
    names = _texts_by_code(records.get("HETNAM", ()))
    synonyms = _texts_by_code(records.get("HETSYN", ()))
    codes = unique([line[7:10].strip() for line in records.get("HET", ())] or list(names))
    others = {code: "; ".join(split_names(synonyms.get(code, ""))) for code in codes}
    own = [code for code in codes if code not in WATER | chains.components]
    return tuple(LigandName(code, names.get(code) or listed.get(code, ""), others[code]) for code in own)


def _texts_by_code(lines: Iterable[str]) -> dict[str, str]:
    """Return the text of HETNAM or HETSYN records by component."""
    parts = by_key((line[11:14].strip(), line[15:70]) for line in lines)
    return {code: join_lines(listed) for code, listed in parts.items()}
