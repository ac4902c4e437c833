"""A source of a few entries in memory, for tests of the behaviour that all sources share."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tethermap.entry.model import PolymerEntity
from tethermap.sources.base import EntrySummary, Fetched, FetchError, Hit, KnownEntry, Request, Source
from tethermap.sources.query import words_of


class FakeSource(Source):
    """Entries by id; the words of the title are searched, more words in common score higher."""

    def __init__(self, *entries: EntrySummary, lists_all: bool = False) -> None:
        self.kind = "mirror"
        self.label = "fake"
        self.lists_all = lists_all
        self.requests: list[Request] = []
        self.notes: list[str] = []
        self.entries = {entry.entry_id: entry for entry in entries}
        self.replaced: dict[str, tuple[str, ...]] = {}
        self.sequence_hits: list[Hit] = []
        self.asked_for: list[str] = []

    def resolve(self, entry_ids: Sequence[str]) -> dict[str, KnownEntry]:
        known = {}
        for name in entry_ids:
            if name in self.entries:
                known[name] = KnownEntry(name, self.replaced.get(name, ()))
            elif name in self.replaced:
                there = [new for new in self.replaced[name] if new in self.entries]
                known[name] = KnownEntry(there[0] if there else "", self.replaced[name])
        return known

    def known_accessions(self, accessions: Sequence[str]) -> set[str]:
        return {name for name in accessions if any(name in entry.uniprot for entry in self.entries.values())}

    def text_search(self, terms: Sequence[str], accessions: Sequence[str], *, any_term: bool) -> list[Hit]:
        hits = []
        for entry in self.entries.values():
            words = words_of(entry.title)
            present = [set(words_of(term)) <= set(words) for term in terms]
            allowed = not accessions or set(accessions) & set(entry.uniprot)
            if allowed and (any(present) if any_term else all(present)):
                hits.append((entry.entry_id, sum(present) / len(words)))
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))

    def sequence_search(self, _sequence: str, _min_identity: float, /) -> list[Hit]:
        return self.sequence_hits

    def all_entries(self) -> list[str]:
        return sorted(self.entries)

    def summaries(self, entry_ids: Iterable[str]) -> dict[str, EntrySummary]:
        listed = list(entry_ids)
        self.asked_for += listed
        return {name: self.entries[name] for name in listed if name in self.entries}

    def polymers(self, entry_ids: Sequence[str]) -> dict[str, tuple[PolymerEntity, ...]]:
        return {name: () for name in entry_ids if name in self.entries}

    def fetch(self, entry_id: str) -> Fetched:
        raise FetchError("not_found", entry_id)

    def close(self) -> None:
        """Nothing is open."""


def entry(entry_id: str, title: str = "a kinase", **values: object) -> EntrySummary:
    """Return an entry's metadata."""
    base = EntrySummary(entry_id, title, ("X-RAY DIFFRACTION",), 2.0, "2010-05-05", ("Homo sapiens",))
    return replace(base, **values)  # type: ignore[arg-type]
