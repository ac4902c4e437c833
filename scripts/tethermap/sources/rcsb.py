"""RCSB PDB as a source: its search, its metadata, its files (PDBe's as fallback), the shared cache."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from tethermap.base.identifiers import is_entry_id
from tethermap.base.links import Addresses
from tethermap.entry.model import PolymerEntity
from tethermap.fit.file import NONE, ReportFile, checked
from tethermap.fit.report import check_report
from tethermap.run.http import HttpClient, HttpError
from tethermap.sources.base import EntrySummary, Fetched, FetchError, Hit, KnownEntry, Source, SourceError
from tethermap.sources.cache import StructureCache
from tethermap.sources.content import check_file
from tethermap.sources.obsolete import follow
from tethermap.sources.rcsb_queries import SHORTEST_SEQUENCE, accession_node, sequence_node, text_node
from tethermap.sources.rcsb_services import RcsbServices

_LOG = logging.getLogger(__name__)

_REPORTS_IN_VAIN = 3
"""Number of consecutive unanswered requests for validation reports after which no report is requested."""


class RcsbSource(Source):
    """RCSB PDB over the network. `fetch` may be called from several threads.

    Parameters
    ----------
    cache : Path
        The cache folder.
    addresses : Addresses, optional
        Addresses of the services.
    http : HttpClient, optional
        Sends the requests.
    """

    kind = "rcsb"
    label = "RCSB PDB"
    searches_sequences = True

    def __init__(self, cache: Path, *, addresses: Addresses | None = None, http: HttpClient | None = None) -> None:
        self.addresses = addresses or Addresses.from_environment()
        self.http = http or HttpClient()
        self._cache = StructureCache(cache)
        self._services = RcsbServices(self.http, self.addresses)
        self.requests, self.notes = self._services.requests, self._services.notes

    def resolve(self, entry_ids: Sequence[str]) -> dict[str, KnownEntry]:
        """Return the entry of each id, or the successor of a withdrawn entry."""
        ids = [entry_id for entry_id in dict.fromkeys(entry_ids) if is_entry_id(entry_id)]
        present = self._services.present(ids)
        found = {entry_id: KnownEntry(entry_id) if entry_id in present else self._follow(entry_id) for entry_id in ids}
        return {entry_id: entry for entry_id, entry in found.items() if entry is not None}

    def known_accessions(self, accessions: Sequence[str]) -> set[str]:
        """Return those accessions that at least one entry has."""
        return set(accessions) & self._services.accessions(accession_node(accessions)) if accessions else set()

    def text_search(self, terms: Sequence[str], accessions: Sequence[str], *, any_term: bool) -> list[Hit]:
        """Return entries by text and accession, best first."""
        return self._services.hits(text_node(terms, accessions, any_term=any_term))

    def sequence_search(self, sequence: str, min_identity: float, /) -> list[Hit]:
        """Return entries with a similar protein sequence, best first.

        Raises
        ------
        SourceError
            If the sequence is shorter than the minimum of the service.
        """
        if len(sequence) < SHORTEST_SEQUENCE:
            raise SourceError(
                f"A sequence has {len(sequence)} residues, but RCSB's sequence search needs at least "
                f"{SHORTEST_SEQUENCE}: give a longer one, or do not search by sequence."
            )
        return self._services.hits(sequence_node(sequence, min_identity), scoring="sequence")

    def all_entries(self) -> list[str]:
        """Refuse, because a job over the whole PDB is hardly intended."""
        raise SourceError("The query has no words: give words, PDB ids or UniProt accessions in search_query.")

    def summaries(self, entry_ids: Iterable[str]) -> dict[str, EntrySummary]:
        """Return the metadata of entries; those revised since their files were cached are fetched again."""
        summaries = self._services.summaries(list(entry_ids))
        for entry_id in summaries:
            self._cache.mark_revised(entry_id, self._services.revisions[entry_id])
        return summaries

    def polymers(self, entry_ids: Sequence[str]) -> dict[str, tuple[PolymerEntity, ...]]:
        """Return the polymers of entries."""
        return self._services.polymers(entry_ids)

    def fetch(self, entry_id: str) -> Fetched:
        """Return an entry's file from the cache, RCSB or PDBe; that of its successor when it was withdrawn."""
        if not is_entry_id(entry_id):
            raise FetchError("not_found", "not a PDB id")
        cached = self._obtain(entry_id)
        if cached is not None:
            return cached
        try:
            followed = self._follow(entry_id)
        except SourceError as error:  # the reason of this entry, not the end of the job
            raise FetchError("download_failed", f"HTTP 404, and {error.message}") from error
        if followed is None:
            raise FetchError("not_found", "HTTP 404")
        successors = " ".join(followed.successors)
        if not followed.entry_id:
            raise FetchError("withdrawn", successors, successor=successors)
        cached = self._obtain(followed.entry_id)
        if cached is None:
            raise FetchError("withdrawn", f"{followed.entry_id}: HTTP 404", successor=successors)
        return replace(cached, successors=followed.successors or cached.successors)

    def close(self) -> None:
        """Close all connections."""
        self.http.close()

    def _obtain(self, entry_id: str) -> Fetched | None:
        """Return a file from the cache or the network; None if the entry does not exist."""
        if cached := self._cache.get(entry_id):
            return cached
        with self._cache.reserved(entry_id):
            if cached := self._cache.get(entry_id):
                return cached
            try:
                return self._download(entry_id)
            except FetchError:
                if (earlier := self._cache.get(entry_id, outdated=True)) is None:
                    raise
                _LOG.warning("%s was revised, but the download failed: using the cached file", entry_id)
                return earlier

    def _download(self, entry_id: str) -> Fetched | None:
        tried = []
        for origin, url in (
            ("rcsb", f"{self.addresses.files}/{entry_id.upper()}.cif.gz"),
            ("pdbe", f"{self.addresses.pdbe_files}/{entry_id}.cif"),
        ):
            checks: list[FetchError | Fetched | None] = [None]

            def problem(content: bytes, checks: list[FetchError | Fetched | None] = checks) -> str:
                try:
                    checks[0] = check_file(content, entry_id)
                except FetchError as error:
                    checks[0] = error
                    return str(error)
                return ""

            try:
                answer = self.http.request(url, problem=problem, slot=self._cache.connection, raw=True)
            except HttpError as error:
                tried.append((error, checks[0]))
                _LOG.warning("%s: %s", entry_id, error)
                continue
            if answer.status == 200 and isinstance(checks[0], Fetched):
                return self._cache.store(checks[0], origin, answer.content)
            if origin == "rcsb" and answer.status in (404, 410):
                return None
            tried.append((HttpError(origin, f"HTTP {answer.status}"), None))
        value = "; ".join(str(error) for error, _ in tried)
        first = tried[0][1]
        if isinstance(first, FetchError):
            raise FetchError(first.reason, value)
        raise FetchError("download_failed", value, unreachable=all(error.unreachable for error, _ in tried))

    def _follow(self, entry_id: str) -> KnownEntry | None:
        """Return the current successor of a missing entry; None if there is none."""
        removed = self._services.removed(entry_id)
        if removed is None:
            return None
        return follow(entry_id, removed, lambda name: self._services.removed(name) or (), self._services.present)


class ServiceReports:
    """Reports of RCSB's file service, kept in the cache.

    Parameters
    ----------
    cache : StructureCache
        The cache that all jobs share.
    http : HttpClient
        Sends the requests.
    addresses : sequence of str
        Patterns of a report's addresses (`Addresses.reports`); the next one is tried if one has no report.
    """

    def __init__(self, cache: StructureCache, http: HttpClient, addresses: Sequence[str]) -> None:
        self._cache = cache
        self._http = http
        self._addresses = addresses
        self._in_vain = 0

    def __call__(self, fetched: Fetched) -> ReportFile:
        """Return an entry's report from the cache or the network."""
        entry_id = fetched.entry_id
        if cached := self._cached(entry_id):
            return cached
        with self._cache.reserved(entry_id):
            return self._cached(entry_id) or self._download(entry_id)

    def _cached(self, entry_id: str) -> ReportFile | None:
        for ending in ("cif", "xml"):
            path = self._cache.report(entry_id, ending)
            if not path.is_file():
                continue
            report = checked(path, "rcsb")
            if report.path is not None:
                return report
            _LOG.warning("%s in the cache is damaged (%s): downloading it again", path.name, report.status)
            path.unlink(missing_ok=True)
        return NONE if self._cache.lacks_report(entry_id) else None

    def _download(self, entry_id: str) -> ReportFile:
        if self._in_vain >= _REPORTS_IN_VAIN:
            return ReportFile("not requested: the service did not answer for others")
        status = NONE.status
        for ending, address in product(("cif", "xml"), self._addresses):
            url = address.format(middle=entry_id[-3:-1], id=entry_id, ending=ending)
            try:
                answer = self._http.request(url, problem=check_report, slot=self._cache.connection, raw=True)
            except HttpError as error:
                _LOG.warning("validation report of %s: %s", entry_id, error)
                status = str(error)
                if error.unreachable:
                    self._in_vain += 1
                    break
                continue
            self._in_vain = 0
            if answer.status == 200:
                path = self._cache.store_report(entry_id, ending, answer.content)
                return checked(path, "rcsb")
            if answer.status not in (404, 410):
                status = f"HTTP {answer.status}"
        if status == NONE.status:
            self._cache.store_report(entry_id, "none", b"")
        return ReportFile(status)
