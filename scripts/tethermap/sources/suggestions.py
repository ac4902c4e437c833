"""Names of proteins and ligands that complete a text: from the index of a folder, or RCSB's suggest service."""

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from tethermap.base.links import Addresses
from tethermap.base.root import ROOT
from tethermap.base.tables import by_key

ARCHIVE = ROOT / "data" / "archive"
"""The entries shipped with Tethermap."""

SHORTEST = 2
"""Characters of a text that is completed."""

MOST = 8
_SECONDS = 3.0
_ONE_WORD = re.compile(r"[\w-]+")

NAMES_TABLE = """
CREATE TABLE names (
    name TEXT NOT NULL COLLATE NOCASE, kind TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL,
    says TEXT NOT NULL, PRIMARY KEY (name, kind, key, number)
) WITHOUT ROWID;
CREATE INDEX names_number ON names (number);
"""
"""Names of an index: of proteins with their accession as key, of ligands with their component code."""

_GROUPED = "SELECT max(name), kind, key, max(says), count(*) FROM names WHERE {} GROUP BY name, kind, key"
_BEGINNING = _GROUPED.format("name >= ?1 AND name < ?1 || char(1114111)")
_CONTAINING = _GROUPED.format(
    "number IN (SELECT rowid FROM texts WHERE texts MATCH ?2 LIMIT ?3) AND instr(lower(name), lower(?1))"
)
_COMPONENTS = """
SELECT key, entry_id FROM names JOIN ids USING (number) WHERE kind = 'ligand' AND name = key ORDER BY key, entry_id
"""
_ENTRIES = "SELECT count(*) FROM accessions WHERE accession = ?"

_ATTRIBUTES = {
    "rcsb_entity_source_organism.rcsb_gene_name.value": "gene",
    "rcsb_polymer_entity_container_identifiers.reference_sequence_identifiers.database_accession": "accession",
    "rcsb_uniprot_protein.name.value": "protein",
    "rcsb_chem_comp_synonyms.name": "ligand",
    "chem_comp.name": "ligand",
}
"""Attributes that RCSB completes, in the order of the suggestions, each with the kind of its names."""


_KINDS = tuple(dict.fromkeys(_ATTRIBUTES.values()))


class Suggestion(NamedTuple):
    """A name that completes a text.

    Parameters
    ----------
    text : str
        The name; for a ligand with a long one its component code.
    says : str
        Other names of the protein or ligand, and the organism.
    kind : str
        ``gene``, ``accession``, ``protein`` or ``ligand``.
    key : str
        UniProt accession or component code; empty if unknown.
    entries : int or None
        Number of entries; None if unknown.
    """

    text: str
    says: str
    kind: str
    key: str
    entries: int | None


def index_file(cache: Path, places: Path | str) -> Path:
    """Return the index of a mirror or of files in a cache."""
    name = sha256(str(places).encode("utf-8", "surrogateescape")).hexdigest()[:20]
    return cache / "mirrors" / f"{name}.sqlite"


def index_of(kind: str, mirror: Path | None, cache: Path) -> Path | None:
    """Return the index of a source, which exists after its first search; None for ``rcsb``."""
    return None if kind == "rcsb" else index_file(cache, (mirror or ARCHIVE).resolve())


def suggest(kind: str, mirror: Path | None, cache: Path, text: str) -> list[Suggestion]:
    """Return the best completions of a text.

    Parameters
    ----------
    kind : str
        Kind of the source: ``rcsb``, ``mirror`` or ``archive``.
    mirror : Path or None
        Folder of a mirror.
    cache : Path
        Folder of the cache, which has the indexes.
    text : str
        Beginning of a name, or of a word in it.

    Returns
    -------
    list of Suggestion
        At most 8; none if the source can't answer now.
    """
    text = " ".join(text.split())
    if len(text) < SHORTEST:
        return []
    index = index_of(kind, mirror, cache)
    return _of_rcsb(text) if index is None else of_index(index, text)


def of_index(path: Path, text: str) -> list[Suggestion]:
    """Return completions from an index; those that begin with the text first, then by number of entries."""
    words = re.findall(r"[^\W_]+", text)
    expression = f'{{names genes ligands}} : "{" ".join(words)}" *'
    try:
        with closing(opened_index(path)) as connection:
            rows = connection.execute(_BEGINNING, (text,)).fetchall()
            if len({row[2] for row in rows}) < MOST and words:
                rows += connection.execute(_CONTAINING, (text, expression, 500)).fetchall()
            counts = {key: connection.execute(_ENTRIES, (key,)).fetchone()[0] for _, _, key, *_ in rows}
            rows = [(*row, counts[row[2]] or entries) for *row, entries in rows]
    except sqlite3.Error:
        return []
    begins = re.compile(rf"(?<!\w){re.escape(text)}", re.IGNORECASE)
    rows.sort(key=lambda row: (not begins.search(row[0]), -row[4], _KINDS.index(row[1]), row[0].lower()))
    return _best(rows)


def entries_of_components(path: Path) -> dict[str, list[str]]:
    """Return the entries of each ligand's component in an index; empty if there is no index."""
    try:
        with closing(opened_index(path)) as connection:
            return by_key(connection.execute(_COMPONENTS))
    except sqlite3.Error:
        return {}


def opened_index(path: Path) -> sqlite3.Connection:
    """Open a finished index for reading; it never changes, so nothing is locked or written."""
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)


def _best(rows: Iterable[Sequence[Any]]) -> list[Suggestion]:
    """Return the first suggestion of each protein and ligand."""
    chosen: dict[str, Suggestion] = {}
    for name, kind, key, says, entries in rows:
        is_long = kind == "ligand" and key and not _ONE_WORD.fullmatch(name)
        chosen.setdefault(key or name.lower(), Suggestion(key if is_long else name, says, kind, key, entries))
        if len(chosen) == MOST:
            break
    return list(chosen.values())


def _of_rcsb(text: str) -> list[Suggestion]:
    """Return completions from RCSB in one short request; none without an answer."""
    # Imported here: the network client takes longer to load than all the rest.
    from tethermap.run.http import HttpClient, HttpError, RequestLimits

    query = {
        "type": "term",
        "suggest": {"text": text, "completion": [{"attribute": name} for name in _ATTRIBUTES], "size": MOST},
        "results_content_type": ["experimental"],
    }
    address = Addresses.from_environment().search.removesuffix("/query")
    with closing(HttpClient(RequestLimits(attempts=1, connect=_SECONDS, read=_SECONDS, total=_SECONDS))) as client:
        try:
            answer = client.request(f"{address}/suggest?json={quote(json.dumps(query))}")
            found = json.loads(answer.content)["suggestions"] if answer.status == 200 else {}
            hits = [(hit["text"], kind) for name, kind in _ATTRIBUTES.items() for hit in found.get(name, ())]
            return _best((re.sub(r"</?em>", "", text), kind, "", "", None) for text, kind in hits)
        except (HttpError, ValueError, KeyError, TypeError, AttributeError):
            return []
