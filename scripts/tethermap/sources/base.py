"""The interface of every source of structures, and its values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from tethermap.base.errors import ReasonError, UserError
from tethermap.entry.model import PolymerEntity

Request = dict[str, Any]
"""A request to a source, for the record."""


class SourceError(UserError):
    """A source that doesn't exist, doesn't answer, or can't process a request; ends the job."""


class FetchError(ReasonError):
    """An entry's file is not available.

    Parameters
    ----------
    reason, value : str
        Code of the reason and the value that it names, see `ReasonError`.
    successor : str
        Ids of the entries that replaced it, joined by blanks.
    unreachable : bool
        Whether no service answered at all.
    """

    def __init__(self, reason: str, value: str = "", *, successor: str = "", unreachable: bool = False) -> None:
        super().__init__(reason, value)
        self.successor = successor
        self.unreachable = unreachable


Hit = tuple[str, float]
"""Id of an entry that a search found, and its score: the larger, the more relevant. A plain tuple, as there may be
a hundred thousand."""


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """Answer of a source for one id.

    Parameters
    ----------
    entry_id : str
        Id of the entry to use: the requested one or its successor; empty if neither exists.
    successors : tuple of str
        Entries that replaced the requested one.
    """

    entry_id: str
    successors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntrySummary:
    """Metadata of an entry before its file is read; fields are empty or None if unknown.

    Parameters
    ----------
    entry_id : str
        Lower-case id.
    title : str
        Title of the entry.
    methods : tuple of str
        Experimental methods, upper case.
    resolution : float or None
        Best resolution in angstroms.
    release_date : str
        ISO date of the first release.
    organisms, uniprot, genes, descriptions : tuple of str
        Of all its polymers, each once.
    ligands : tuple of str
        Codes of its non-polymer components but water.
    size : int or None
        About the number of its atoms.
    """

    entry_id: str
    title: str = ""
    methods: tuple[str, ...] = ()
    resolution: float | None = None
    release_date: str = ""
    organisms: tuple[str, ...] = ()
    uniprot: tuple[str, ...] = ()
    genes: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    ligands: tuple[str, ...] = ()
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A structure file, complete and checked.

    Parameters
    ----------
    entry_id : str
        Id of the entry in the file: the requested one or its successor.
    format : str
        ``mmcif`` or ``pdb``.
    sha256 : str
        Hash of the uncompressed content.
    revision : str
        Number and date of the last revision: ``1.3 2024-02-07``.
    path : Path
        The file, gzipped or not.
    source : str
        Origin of the file: ``rcsb``, ``pdbe``, ``archive``, ``files``, ``mirror:<label>``, ``pdb_redo:<label>`` for
        re-refined models.
    withdrawn : bool
        Whether the entry was withdrawn.
    successors : tuple of str
        Entries that replaced the requested one.
    source_file : str
        The user's name of the file, if the user gave it.
    source_record : int or None
        Number of the model in that file, from 1.
    entities : tuple of PolymerEntity
        The polymers that its header names; none if an earlier job checked the file.
    """

    entry_id: str
    format: str
    sha256: str
    revision: str = ""
    path: Path = Path()
    source: str = ""
    withdrawn: bool = False
    successors: tuple[str, ...] = ()
    source_file: str = ""
    source_record: int | None = None
    entities: tuple[PolymerEntity, ...] = ()


class Source(Protocol):
    """A place that knows entries and has their files. Ids are lower case throughout.

    Attributes
    ----------
    kind : str
        ``rcsb``, ``mirror``, ``archive`` or ``files``.
    label : str
        Its name in results, never a path.
    searches_sequences : bool
        Whether `sequence_search` works.
    lists_all : bool
        Whether entries that do not match the query are also reported (the user's own files).
    wordless : sequence of str
        Entries that a user names and no word can find, accepted with any words (own files without header).
    failed : mapping of str to str
        Entries lost to an error of this program, with the step and the error.
    requests : list of dict
        Requests so far, as sent.
    notes : list of str
        Sentences on anything unusual in the answers.
    """

    kind: str
    label: str
    searches_sequences: bool = False
    lists_all: bool = False
    wordless: Sequence[str] = ()
    failed: Mapping[str, str] = MappingProxyType({})
    requests: list[Request]
    notes: list[str]

    def resolve(self, entry_ids: Sequence[str]) -> dict[str, KnownEntry]:
        """Return the entry of each id; unknown ids are skipped."""

    def known_accessions(self, accessions: Sequence[str]) -> set[str]:
        """Return those UniProt accessions that at least one entry has."""

    def text_search(self, terms: Sequence[str], accessions: Sequence[str], *, any_term: bool) -> list[Hit]:
        """Return entries with all terms (or any) and, when given, one of the accessions, best first.

        Parameters
        ----------
        terms : sequence of str
            Words and phrases; a term of several words matches them next to each other in order.
        accessions : sequence of str
            UniProt accessions; none given: no restriction.
        any_term : bool
            Whether one of the terms is enough.
        """

    def sequence_search(self, _sequence: str, _min_identity: float, /) -> list[Hit]:
        """Return entries with a similar protein sequence, best first, if it can; identity is a fraction."""
        return []

    def all_entries(self) -> list[str]:
        """Return the ids of all entries in order."""

    def summaries(self, entry_ids: Iterable[str]) -> dict[str, EntrySummary]:
        """Return the metadata of each entry; unknown ids are skipped."""

    def polymers(self, entry_ids: Sequence[str]) -> dict[str, tuple[PolymerEntity, ...]]:
        """Return the polymers of each entry, as its header or the service names them; unknown ids are omitted."""

    def fetch(self, entry_id: str) -> Fetched:
        """Return an entry's file, checked.

        Raises
        ------
        FetchError
            If it is not available or not a complete structure.
        """

    def close(self) -> None:
        """Close connections and files."""
