"""RCSB PDB's search and data services: pages of hits, metadata in batches, withdrawn entries."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tethermap.base.identifiers import entry_id_of, unique
from tethermap.base.links import Addresses
from tethermap.entry.model import EntryMetadata, LigandName, PolymerEntity
from tethermap.run.http import HttpAnswer, HttpClient, HttpError
from tethermap.sources.base import EntrySummary, Hit, Request, SourceError
from tethermap.sources.index_rows import summary_of
from tethermap.sources.rcsb_queries import ENTRIES_QUERY, IDS_QUERY, POLYMERS_QUERY, Node, accession_values, page

_LOG = logging.getLogger(__name__)

PAGE_ROWS = 10_000
"""Hits of one page: the maximum of the service."""

BATCH = 300
"""Entries of one metadata request, as the official client does."""

_READINGS = 3
"""Maximum number of times that all pages are read if hits change meanwhile."""


@dataclass
class RcsbServices:
    """The search API, version 2, and the data API: GraphQL for metadata, REST for withdrawn entries.

    Parameters
    ----------
    http : HttpClient
        Sends the requests.
    addresses : Addresses
        Addresses of the services.
    requests : list of dict
        Each search and each question for metadata is added to it, with its answer's size, without ids of entries.
    notes : list of str
        Sentences on anything unusual are added to it.
    revisions : dict of str to str
        ISO date of the last revision of each entry whose metadata were requested.
    """

    http: HttpClient
    addresses: Addresses
    requests: list[Request] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    revisions: dict[str, str] = field(default_factory=dict)

    def accessions(self, node: Node) -> set[str]:
        """Return the accessions of the polymers that a query finds."""
        body = accession_values(node)
        facets = (self._search(body) or {}).get("facets") or []
        names = {str(group.get("identifier")) for facet in facets for group in facet.get("groups") or ()}
        self.requests.append({"url": self.addresses.search, "body": body, "total": len(names)})
        return names

    def hits(self, node: Node, *, scoring: str = "combined") -> list[Hit]:
        """Return all entries that a query finds, best first, each once.

        All pages are read again when the number of hits changes in between.
        """
        for reading in range(1, _READINGS + 1):
            scores: dict[str, float] = {}
            totals: list[int] = []
            while not totals or len(totals) * PAGE_ROWS < totals[-1]:
                answer = self._search(page(node, len(totals) * PAGE_ROWS, PAGE_ROWS, scoring=scoring))
                totals.append(len(scores) if answer is None else int(answer.get("total_count") or 0))
                rows = (answer or {}).get("result_set") or []
                for row in rows:
                    scores.setdefault(_entry_id(row["identifier"]), float(row.get("score") or 0.0))
                if not rows:
                    break
            if set(totals) == {len(scores)}:
                break
            if reading == _READINGS:
                self.notes.append(
                    f"The search service's hits changed while its pages were read ({len(scores)} different entries of "
                    f"{totals[-1]} announced); the last pages were used."
                )
            else:
                _LOG.warning("the hits changed between pages: all pages are read again")
        first = page(node, 0, PAGE_ROWS, scoring=scoring)
        self.requests.append({"url": self.addresses.search, "body": first, "total": totals[-1]})
        return list(scores.items())

    def present(self, entry_ids: Sequence[str]) -> set[str]:
        """Return the entries that exist."""
        return {entry_id for entry_id, _ in self._entries(IDS_QUERY, entry_ids)}

    def summaries(self, entry_ids: Sequence[str]) -> dict[str, EntrySummary]:
        """Return the metadata of entries; unknown entries are skipped."""
        summaries = {}
        for entry_id, row in self._entries(ENTRIES_QUERY, entry_ids):
            summaries[entry_id] = _summary(entry_id, row)
            self.revisions[entry_id] = (_part(row, "rcsb_accession_info").get("revision_date") or "")[:10]
        return summaries

    def polymers(self, entry_ids: Sequence[str]) -> dict[str, tuple[PolymerEntity, ...]]:
        """Return the polymers of entries in the given order; unknown entries are skipped."""
        rows = dict(self._entries(POLYMERS_QUERY, entry_ids))
        return {
            name: tuple(map(_polymer, rows[name].get("polymer_entities") or [])) for name in entry_ids if name in rows
        }

    def removed(self, entry_id: str) -> tuple[str, ...] | None:
        """Return the entries that replaced a withdrawn one, lower case; None if it was not withdrawn."""
        answer = self._ask("data", f"{self.addresses.data}/rest/v1/holdings/removed/{entry_id.upper()}")
        if answer.status != 200:
            return None
        holdings = json.loads(answer.content).get("rcsb_repository_holdings_removed") or {}
        return tuple(_entry_id(name) for name in holdings.get("id_codes_replaced_by") or ())

    def _search(self, body: Node) -> Mapping[str, Any] | None:
        """Return the answer to one search request; None when nothing was found (204)."""
        answer = self._ask("search", self.addresses.search, body)
        if answer.status == 204:
            return None
        if answer.status != 200:
            raise SourceError(
                f"RCSB's search service refused the query: HTTP {answer.status}, {_message(answer)}; "
                "change the query, or use a mirror.",
                "upstream" if answer.status >= 500 or answer.status == 404 else "input",
            )
        content: Mapping[str, Any] = json.loads(answer.content)
        return content

    def _entries(self, query: str, entry_ids: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield id and object of each existing entry, requested in batches."""
        url, listed = f"{self.addresses.data}/graphql", list(dict.fromkeys(entry_ids))
        for start in range(0, len(listed), BATCH):
            batch = listed[start : start + BATCH]
            answer = self._ask("data", url, {"query": query, "variables": {"ids": list(map(str.upper, batch))}})
            content = json.loads(answer.content) if answer.status == 200 else {}
            data = content.get("data") or {}
            if answer.status != 200 or data.get("entries") is None:
                errors = content.get("errors") or [{}]
                message = errors[0].get("message") or _message(answer)
                raise SourceError(
                    f"RCSB's data service gave no metadata: HTTP {answer.status}, {message}; "
                    "run the job again later, or use a mirror.",
                    "upstream",
                )
            rows = [row for row in data["entries"] if row and row.get("rcsb_id")]
            counts = {"entries": len(batch), "total": len(rows)}
            self.requests.append({"url": url, "query": " ".join(query.split()), **counts})
            yield from ((_entry_id(row["rcsb_id"]), row) for row in rows)

    def _ask(self, service: str, url: str, body: Node | None = None) -> HttpAnswer:
        """Send a request; a service that can't be reached ends the job with one sentence."""
        try:
            return self.http.request(url, body, problem=_json_problem)
        except HttpError as error:
            verb = "can't be reached" if error.unreachable else "doesn't answer properly"
            raise SourceError(
                f"RCSB's {service} service {verb} ({error}): check the network, run the job again later, "
                "or use a mirror.",
                "upstream",
            ) from error


def _json_problem(content: bytes) -> str:
    """Return the fault of a response that should be a JSON object."""
    try:
        answer = json.loads(content)
    except ValueError:
        shown = " ".join(content[:40].decode("utf-8", "replace").split())
        return f"not JSON, begins with {shown!r}"
    return "" if isinstance(answer, dict) else "not a JSON object"


def _message(answer: HttpAnswer) -> str:
    """Return the message of an error answer, shortened to one line."""
    try:
        text = str(json.loads(answer.content).get("message", ""))
    except (ValueError, AttributeError):
        text = ""
    return " ".join(text.split())[:300] or "without a message"


def _entry_id(identifier: object) -> str:
    """Return an identifier as we write it: lower case, classic ids by their four characters."""
    text = str(identifier)
    return entry_id_of(text) or text.lower()


def _summary(entry_id: str, row: Mapping[str, Any]) -> EntrySummary:
    """Return an entry's metadata from its GraphQL row, in which anything may be null."""
    info = row.get("rcsb_entry_info") or {}
    ligands = [_part(other, "pdbx_entity_nonpoly").get("comp_id") for other in row.get("nonpolymer_entities") or []]
    for branched in row.get("branched_entities") or []:
        ligands += _part(branched, "rcsb_branched_entity_container_identifiers").get("chem_comp_monomers") or []
    metadata = EntryMetadata(
        entry_id=entry_id,
        title=" ".join((_part(row, "struct").get("title") or "").split()),
        methods=unique((method.get("method") or "").upper() for method in row.get("exptl") or []),
        resolution=min(filter(None, info.get("resolution_combined") or []), default=None),
        release_date=(_part(row, "rcsb_accession_info").get("initial_release_date") or "")[:10],
        entities=tuple(map(_polymer, row.get("polymer_entities") or [])),
        ligands=tuple(map(LigandName, unique(ligands))),
    )
    return summary_of(metadata, info.get("deposited_atom_count"))


def _polymer(row: Mapping[str, Any]) -> PolymerEntity:
    """Return a polymer from the answer of the data service, any part of which may be missing."""
    identifiers = _part(row, "rcsb_polymer_entity_container_identifiers")
    references = identifiers.get("reference_sequence_identifiers") or []
    named = [one.get("database_accession") for one in references if one.get("database_name") == "UniProt"]
    poly = _part(row, "entity_poly")
    origins = row.get("rcsb_entity_source_organism") or []
    kind = poly.get("rcsb_entity_polymer_type") or ""
    return PolymerEntity(
        entity_id=identifiers.get("entity_id") or "",
        kind="polypeptide(L)" if kind in ("", "Protein") else kind,
        auth_asym_ids=tuple(identifiers.get("auth_asym_ids") or ()),
        description=_part(row, "rcsb_polymer_entity").get("pdbx_description") or "",
        genes=unique(gene.get("value") for origin in origins for gene in origin.get("rcsb_gene_name") or []),
        uniprot=unique([*(identifiers.get("uniprot_ids") or ()), *named]),
        organisms=unique(one.get("ncbi_scientific_name") or one.get("scientific_name") for one in origins),
        sequence=poly.get("pdbx_seq_one_letter_code_can") or "",
    )


def _part(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object of an answer, empty if it is null or missing."""
    part: Mapping[str, Any] = row.get(name) or {}
    return part
