"""Read the metadata of an entry from a PDB-format file, of any age."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tethermap.base.identifiers import accession, unique
from tethermap.entry.mmcif_header import UNIPROT_NAMES, WATER, parent_letter, positive, split_names
from tethermap.entry.model import PREDICTED, EntryMetadata, LigandName
from tethermap.entry.pdb_polymers import Chains, polymer_entities
from tethermap.entry.text_search import first_line

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")

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


def from_pdb(lines: str | Iterable[str], *, entry_id: str = "") -> EntryMetadata:
    """Return the metadata of PDB-format text; odd content leaves fields empty.

    Parameters
    ----------
    lines : str or iterable of str
        The file's text or its lines; reading stops at the first coordinate.
    entry_id : str
        Id to use instead of the header's.
    """
    records = _records(lines)
    header = (records.get("HEADER") or [""])[0].ljust(80)
    own_id = header[62:66].strip().lower()
    revisions = _revisions(records)
    citation = _citation(records)
    resolution = _resolution(records)
    chains = Chains.of(records.get("SEQRES", ()), _parents(records))
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
        entities=polymer_entities(_joined(records, "COMPND"), _joined(records, "SOURCE"), chains, _references(records)),
        ligands=_ligands(records, chains),
        withdrawn="OBSLTE" in records,
        successors=tuple(name for name in _listed_ids(records) if name != own_id),
    )


def iso_from_pdb(text: str) -> str:
    """Return the ISO date of ``31-MAR-95``; years from 70 on are of the last century."""
    match = re.fullmatch(r"(\d{1,2})-([A-Z]{3})-(\d{2}|\d{4})", text.strip().upper())
    if match is None or match[2] not in _MONTHS:
        return ""
    year = int(match[3])
    if year < 100:
        year += 1900 if year >= 70 else 2000
    return f"{year:04d}-{_MONTHS.index(match[2]) + 1:02d}-{int(match[1]):02d}"


def _records(lines: str | Iterable[str]) -> dict[str, list[str]]:
    """Return the lines before the first coordinate by record name.

    Files from before 1996 repeat the entry id in columns 73-76, which are removed.
    """
    records: dict[str, list[str]] = {}
    own_id = ""
    if isinstance(lines, str):
        lines = lines[: first_line(lines, _COORDINATES)].splitlines()
    for raw in lines:
        name = raw[:6].rstrip()
        if name in ("ATOM", "HETATM", "MODEL"):
            break
        line = raw.rstrip("\r\n")
        if name == "HEADER" and not own_id:
            own_id = line[62:66].strip()
        if own_id and line[72:76] == own_id:
            line = line[:72]
        records.setdefault(name, []).append(line)
    return records


def _joined(records: Records, name: str, start: int = 10) -> str:
    """Return the text of a record with its continuation lines."""
    return join_lines(line[start:80] for line in records.get(name, ()))


def join_lines(parts: Iterable[str]) -> str:
    """Join continuation lines: with a blank, or without after a hyphen."""
    text = ""
    for part in map(str.strip, parts):
        text += part if not text or text.endswith("-") else f" {part}"
    return " ".join(text.split())


def _citation(records: Records) -> str:
    return join_lines(line[19:80] for line in records.get("JRNL", ()) if line[12:16] == "TITL")


def _methods(records: Records, resolution: float | None) -> tuple[str, ...]:
    """Return today's names of the methods.

    Files of the first years name a method only if it is not X-ray diffraction; a resolution distinguishes them from
    models.
    """
    texts = _joined(records, "EXPDTA").upper().split(";")
    methods = []
    for text in texts:
        if not text.strip():
            continue
        named = [method for word, method in _METHODS if word in text]
        methods.append(named[0] if named else text.strip())
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
        if line[7:10] == "  2":
            match = re.search(r"RESOLUTION\.\s+(\d+\.?\d*)", line)
            if match:
                return positive(match[1])
    return None


def _revisions(records: Records) -> dict[int, str]:
    """Return the date of each revision by its number."""
    revisions = {}
    for line in records.get("REVDAT", ()):
        number, date = line[7:10].strip(), iso_from_pdb(line[13:22])
        if number.isdecimal() and date:
            revisions[int(number)] = date
    return revisions


def _listed_ids(records: Records) -> tuple[str, ...]:
    """Return the ids of other entries in OBSLTE records."""
    return unique(word.lower() for line in records.get("OBSLTE", ()) for word in line[31:75].split() if len(word) == 4)


def _references(records: Records) -> list[tuple[str, str, str]]:
    """Return (chain, UniProt accession, UniProt name) of the sequence references."""
    references = [
        (line[12:13].strip(), accession(line[33:41]), line[42:54].strip())
        for line in records.get("DBREF", ())
        if line[26:32].strip().upper() in UNIPROT_NAMES
    ]
    pending: dict[str, str] = {}
    for line in records.get("DBREF1", ()):
        if line[26:32].strip().upper() in UNIPROT_NAMES:
            pending[line[12:13].strip()] = line[47:67].strip()
    for line in records.get("DBREF2", ()):
        chain = line[12:13].strip()
        if chain in pending:
            references.append((chain, accession(line[18:40]), pending[chain]))
    return references


def _parents(records: Records) -> dict[str, str]:
    """Return the one-letter code of each modified residue's parent."""
    return {line[12:15].strip(): parent_letter(line[24:27].strip()) for line in records.get("MODRES", ())}


def _ligands(records: Records, chains: Chains) -> tuple[LigandName, ...]:
    """Return the components of HET records that are neither water nor residues of a chain, each once."""
    listed = {line[7:10].strip(): line[30:70].strip() for line in reversed(records.get("HET", ()))}
    names = _texts_by_code(records.get("HETNAM", ()))
    synonyms = _texts_by_code(records.get("HETSYN", ()))
    codes = unique([line[7:10].strip() for line in records.get("HET", ())] or list(names))
    return tuple(
        LigandName(code, names.get(code) or listed.get(code, ""), "; ".join(split_names(synonyms.get(code, ""))))
        for code in codes
        if code not in WATER and code not in chains.components
    )


def _texts_by_code(lines: Iterable[str]) -> dict[str, str]:
    """Return the text of HETNAM or HETSYN records by component."""
    parts: dict[str, list[str]] = {}
    for line in lines:
        parts.setdefault(line[11:14].strip(), []).append(line[15:70])
    return {code: join_lines(listed) for code, listed in parts.items()}
