import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.standin import StandIn
from tests.tethermap.sources.make import FAULTS, FAULTS_OF_FILES
from tethermap.base.links import Addresses
from tethermap.sources import rcsb_services
from tethermap.sources.base import FetchError, KnownEntry, SourceError
from tethermap.sources.rcsb import RcsbSource
from tethermap.sources.rcsb_queries import accession_node

ENTRIES = {f"{number}abc" for number in range(1, 6)}


@pytest.fixture
def source(standin: StandIn, tmp_path: Path) -> Iterator[RcsbSource]:
    assert standin.seen == []
    with closing(RcsbSource(tmp_path / "cache")) as made:
        yield made


def _found(source: RcsbSource, *terms: str, accessions: Sequence[str] = (), any_term: bool = False) -> list[str]:
    return [entry_id for entry_id, _ in source.text_search(terms, accessions, any_term=any_term)]


# Search.


def test_query_requires_all_words_or_any_on_request(source: RcsbSource, standin: StandIn) -> None:
    assert set(_found(source, "EGFR", "kinase")) == ENTRIES
    assert _found(source, "EGFR", "ligase") == []
    assert [seen.status for seen in standin.seen] == [200, 204]
    body = standin.seen[0].body
    assert body["query"]["parameters"]["value"] == '"egfr" + "kinase"'
    assert body["return_type"] == "entry"
    assert body["request_options"]["results_content_type"] == ["experimental"]
    assert set(_found(source, "EGFR", "ligase", any_term=True)) == ENTRIES | {"6abc"}


def test_accessions_are_requested_as_pairs_and_at_once(source: RcsbSource, standin: StandIn) -> None:
    assert source.known_accessions(["P00533", "P99999"]) == {"P00533"}
    assert len(standin.seen) == 1
    assert source.known_accessions(["P99999"]) == set()
    assert set(_found(source, accessions=["P00533"])) == ENTRIES
    assert _found(source, "3", accessions=["P00533"]) == ["3abc"]
    names = [node["parameters"]["attribute"].rpartition(".")[2] for node in accession_node(["P00533"])["nodes"]]
    assert names == ["database_accession", "database_name"]


def test_pages_are_read_to_the_end_with_equal_scores_in_order_of_their_ids(
    source: RcsbSource, standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rcsb_services, "PAGE_ROWS", 2)
    assert _found(source, accessions=["P00533"]) == sorted(ENTRIES)
    starts = [seen.body["request_options"]["paginate"]["start"] for seen in standin.seen]
    assert starts == [0, 2, 4]


@pytest.mark.parametrize(("times", "requests", "notes"), [(1, 3 + 3, 0), (9, 3 + 3 + 3, 1)])
def test_pages_are_read_again_if_the_number_of_hits_changes_and_reported_in_the_end(
    source: RcsbSource, standin: StandIn, times: int, requests: int, notes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rcsb_services, "PAGE_ROWS", 2)
    for _ in range(times):
        standin.fault("search", "total_changes", times=1)
    assert set(_found(source, "EGFR")) == ENTRIES
    assert standin.count("search") == requests
    assert ["changed while its pages were read" in note for note in source.notes] == [True] * notes


@pytest.mark.parametrize("kind", ["duplicates", "no_result_set"])
def test_hits_that_come_twice_are_listed_once_and_pages_without_hits_are_the_last(
    source: RcsbSource, standin: StandIn, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rcsb_services, "PAGE_ROWS", 3)
    standin.fault("search", kind)
    found = _found(source, "EGFR")
    assert len(found) == len(set(found)) == {"duplicates": 3, "no_result_set": 0}[kind]
    assert source.notes


def test_the_message_of_a_refused_query_is_shown(source: RcsbSource, standin: StandIn) -> None:
    body = b'{"status":400,"message":"JSON schema validation failed for query: {}. Errors: no","link":"x"}'
    standin.fault("search", "status", status=400, body=body, content_type="application/json")
    with pytest.raises(SourceError, match="JSON schema validation failed") as caught:
        _found(source, "EGFR")
    assert caught.value.kind == "input"
    assert standin.count("search") == 1


@pytest.mark.parametrize(
    ("fault", "requests"), [*((fault, 5) for fault in FAULTS), ({"kind": "status", "status": 404}, 1)]
)
@pytest.mark.parametrize("service", ["search", "data"])
def test_a_permanent_failure_of_the_service_ends_the_job_with_one_sentence(
    source: RcsbSource, standin: StandIn, service: Any, fault: dict[str, Any], requests: int
) -> None:
    standin.fault(service, **fault)
    with pytest.raises(SourceError) as caught:
        _found(source, "EGFR") if service == "search" else source.summaries(["1abc"])
    assert caught.value.kind == "upstream"
    assert f"RCSB's {service} service" in caught.value.message
    assert "\n" not in caught.value.message
    assert standin.count(service) == requests


def test_an_absent_service_ends_the_job_with_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TETHERMAP_HTTP_BACKOFF", "0")
    away = "http://127.0.0.1:9"
    source = RcsbSource(tmp_path, addresses=Addresses(away, away, away, away, ()))
    with pytest.raises(SourceError, match=r"can't be reached.*check the network") as caught:
        _found(source, "EGFR")
    assert caught.value.kind == "upstream"


def test_requests_are_recorded(source: RcsbSource, standin: StandIn) -> None:
    _found(source, "EGFR")
    source.summaries(["1abc"])
    search, data = source.requests
    assert (search["url"], search["total"]) == (f"{standin.url}/rcsbsearch/v2/query", 5)
    assert search["body"] == standin.seen[0].body
    assert "entries(entry_ids: $ids)" in data["query"]


def test_a_short_sequence_is_refused_in_one_sentence(source: RcsbSource) -> None:
    with pytest.raises(SourceError, match="needs at least 25:"):
        source.sequence_search("MKV", 0.9)


def test_a_sequence_finds_similar_proteins(source: RcsbSource, standin: StandIn) -> None:
    hits = source.sequence_search("GSHMKLVVVGAGGVGKSALTIQLIQNHF", 0.9)
    assert {entry_id for entry_id, _ in hits} == ENTRIES
    assert standin.seen[0].body["request_options"]["scoring_strategy"] == "sequence"


# Metadata and withdrawn entries.


def test_metadata_come_in_one_request(source: RcsbSource, standin: StandIn) -> None:
    found = source.summaries(["1abc", "9zzz", "2abc"])
    assert set(found) == {"1abc", "2abc"}
    summary = found["1abc"]
    assert (summary.title, summary.methods, summary.resolution) == ("EGFR kinase number 1", ("X-RAY DIFFRACTION",), 2.0)
    assert (summary.release_date, summary.organisms, summary.genes) == ("2010-05-05", ("Homo sapiens",), ("EGFR",))
    assert (summary.uniprot, summary.descriptions, summary.ligands) == (("P00533",), ("Some kinase",), ("LIG",))
    assert standin.count("data") == 1
    bare = source.summaries(["6abc"])["6abc"]  # null fields
    assert (bare.resolution, bare.uniprot, bare.ligands) == (None, (), ())


def test_metadata_come_in_batches(source: RcsbSource, standin: StandIn) -> None:
    source.summaries([f"{number:04d}" for number in range(700)])
    assert [len(seen.body["variables"]["ids"]) for seen in standin.seen] == [300, 300, 100]


def test_errors_of_graphql_end_the_job(source: RcsbSource, standin: StandIn) -> None:
    standin.fault("data", "graphql_error")
    with pytest.raises(SourceError, match="Internal Server Error"):
        source.summaries(["1abc"])


def test_ids_are_resolved_through_withdrawals(source: RcsbSource) -> None:
    known = source.resolve(["1abc", "1old", "1gon", "9zzz"])
    assert known["1abc"].entry_id == "1abc"
    assert known["1old"] == KnownEntry("3abc", ("3abc",))
    assert known["1gon"].entry_id == ""
    assert "9zzz" not in known


# Files.


def test_a_file_is_downloaded_once(source: RcsbSource, standin: StandIn, tmp_path: Path) -> None:
    first = source.fetch("1abc")
    assert source.fetch("1abc") == first
    with closing(RcsbSource(tmp_path / "cache")) as another:
        assert another.fetch("1abc") == first
    assert (first.source, first.format, first.revision) == ("rcsb", "mmcif", "1.1 2024-02-07")
    assert first.path == tmp_path / "cache" / "structures" / "rcsb" / "ab" / "1abc.cif.gz"
    assert standin.count("files") == 1
    assert standin.seen[0].headers["Accept-Encoding"] == "identity"


def test_an_entry_revised_since_is_downloaded_again_once(source: RcsbSource, standin: StandIn) -> None:
    path = source.fetch("1abc").path  # its entry was revised on 2024-02-07
    source.summaries(["1abc"])
    source.fetch("1abc")
    assert standin.count("files") == 1
    os.utime(path, (1_600_000_000, 1_600_000_000))
    source.summaries(["1abc"])
    source.fetch("1abc")
    source.summaries(["1abc"])
    source.fetch("1abc")
    assert standin.count("files") == 2


def test_cached_file_is_used_if_a_revised_entry_is_not_available(
    source: RcsbSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = source.fetch("1abc")
    os.utime(before.path, (1_600_000_000, 1_600_000_000))
    source.summaries(["1abc"])

    def fails(_: str) -> None:
        raise FetchError("download_failed")

    monkeypatch.setattr(source, "_download", fails)
    assert source.fetch("1abc").sha256 == before.sha256


@pytest.mark.parametrize("fault", FAULTS_OF_FILES)
def test_a_temporary_fault_is_retried_and_pdbe_is_used_if_rcsb_fails(
    source: RcsbSource, standin: StandIn, fault: dict[str, Any]
) -> None:
    standin.fault("files", times=2, **fault)
    assert source.fetch("1abc").source == "rcsb"
    assert (standin.count("files"), standin.count("pdbe")) == (3, 0)
    standin.fault("files", **fault)
    for _ in range(2):
        fetched = source.fetch("2abc")
        assert (fetched.source, fetched.path.parts[-3]) == ("pdbe", "pdbe")
    assert (standin.count("files", "2abc"), standin.count("pdbe")) == (5, 1)


REASONS = {"status": "download_failed", "cut": "download_failed", "refuse": "download_failed", "empty": "file_empty",
           "html": "file_not_structure", "cut_gzip": "file_truncated", "no_atoms": "no_atoms"}  # fmt: skip


@pytest.mark.parametrize(("kind", "reason"), REASONS.items())
def test_a_permanent_fault_is_the_entrys_reason(
    source: RcsbSource, standin: StandIn, kind: str, reason: str
) -> None:  # fmt: skip
    for service in ("files", "pdbe"):
        standin.fault(service, kind)
    with pytest.raises(FetchError) as caught:
        source.fetch("1abc")
    assert caught.value.reason == reason
    assert "5 attempts" in caught.value.value
    assert (standin.count("files"), standin.count("pdbe")) == (5, 5)


def test_an_unknown_entry_is_not_found_without_retries(source: RcsbSource, standin: StandIn) -> None:
    with pytest.raises(FetchError, match=r"^not_found"):
        source.fetch("9zzz")
    assert (standin.count("files"), standin.count("removed"), standin.count("pdbe")) == (1, 1, 0)


@pytest.mark.parametrize("entry_id", ["../../etc/passwd", "pose-1", "1ABC", ""])
def test_invalid_id_is_never_requested(source: RcsbSource, standin: StandIn, entry_id: str) -> None:
    with pytest.raises(FetchError):
        source.fetch(entry_id)
    assert standin.seen == []
