import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.standin import StandIn
from tests.tethermap.sources.make import cif_text, settings, write
from tethermap.base import layout
from tethermap.base.tables import ENTRIES, read_table
from tethermap.sources.base import SourceError
from tethermap.steps import parameters
from tethermap.steps.search_entries import run_search


class _Job:
    """A job's search: its rows and its record."""

    def __init__(self, folder: Path, config: dict[str, Any]) -> None:
        self.folder = folder
        self.entries, query = folder / layout.SEARCH_ENTRIES, folder / layout.SEARCH_QUERY
        run_search(self.entries, query, parameters.search_entries(config))
        self.rows = list(read_table(self.entries, ENTRIES))
        self.record = json.loads(query.read_text())

    @property
    def selected(self) -> list[Any]:
        return [row["pdb_id"] for row in self.rows if row["selected"]]

    @property
    def reasons(self) -> dict[Any, Any]:
        return {row["pdb_id"]: row["reason"] for row in self.rows if not row["selected"]}


def _archive_job(tmp_path: Path, query: str, kind: str = "archive", **values: Any) -> _Job:
    values = {"search_query": query, **values}
    return _Job(tmp_path / "job", settings(tmp_path / "cache", {"kind": kind}, **values))


_rcsb_job = partial(_archive_job, kind="rcsb")


def test_requests_and_hits_are_recorded(tmp_path: Path) -> None:
    job = _archive_job(tmp_path, "HIV-1 protease")
    assert job.selected == ["1hpv"]
    record = job.record
    assert record["source"] == {"kind": "archive", "label": "archive"}
    assert (record["search_query"], record["parsed"]["terms"]) == ("HIV-1 protease", ["HIV-1", "protease"])
    assert record["requests"][0]["total"] == record["totals"]["selected"] == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", record["date"])


def test_rows_carry_metadata(tmp_path: Path) -> None:
    (row,) = _archive_job(tmp_path, "1hpv").rows
    assert (row["rank"], row["hits"], row["resolution"], row["release_date"]) == (1, "named", 1.9, "1995-03-31")
    assert (row["method"], row["ligands"], row["descriptions"]) == ("X-RAY DIFFRACTION", "478", "HIV-1 PROTEASE")


def test_results_contain_no_path(tmp_path: Path) -> None:
    write(tmp_path / "in-house" / "1abc.cif", cif_text("1abc"))
    source = {"kind": "mirror", "mirror": str(tmp_path / "in-house")}
    job = _Job(tmp_path / "job", settings(tmp_path / "cache", source))
    assert job.record["source"] == {"kind": "mirror", "label": "in-house"}
    for path in (job.folder / "search" / "entries.csv", job.folder / "search" / "query.json"):
        assert str(tmp_path) not in path.read_text()


@pytest.mark.parametrize(
    "name", ["../x", "$(touch x)", "-rf", "a" * 200, "x😀", "' OR 1=1 --", 'NEAR("x")', "{x}", "%s", "x\\", "títle"]
)
def test_odd_target_names_and_queries_are_data(tmp_path: Path, name: str) -> None:
    job = _archive_job(tmp_path, name, target_name=name)
    assert job.record["target_name"] == job.record["search_query"] == name
    assert job.record["totals"]["seen"] == len(job.rows)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "job"]


@pytest.mark.parametrize(
    "name", ["../q", "$(touch q)", "-rf", "a" * 200, "q😀", '"unicorn" | "', "+ - q|", "(unicorn", "zebra -unicorn"]
)
def test_odd_queries_reach_rcsb_as_data(tmp_path: Path, standin: StandIn, name: str) -> None:
    assert _rcsb_job(tmp_path, name, target_name="unicorn").selected == []
    assert {seen.status for seen in standin.seen if seen.service == "search"} == {204}


def test_filters_and_cuts_are_rows(tmp_path: Path) -> None:
    job = _archive_job(tmp_path, "trypsin bromodomain", filters={"max_entries": 1, "max_resolution": 1.9})
    assert job.record["fallbacks"] == ["any_word"]
    assert (job.selected, job.reasons) == (["4cup"], {"1gbt": "resolution"})
    assert job.record["totals"]["left_out"] == {"resolution": 1}


def test_a_sequence_search_is_refused_if_the_source_has_none(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="'archive' can't search by sequence"):
        _archive_job(tmp_path, "HIV", sequence_search=True, fasta_seq="MKV" * 10)


def test_a_sequence_search_adds_hits_at_rcsb(tmp_path: Path, standin: StandIn) -> None:
    fasta = ">query\nGSHMKLVVVGAGGVGKSALTIQLIQNHF\n"
    job = _rcsb_job(tmp_path, "ligase", sequence_search=True, fasta_seq=fasta)
    assert job.selected == ["6abc", "1abc", "2abc", "3abc", "4abc", "5abc"]
    assert [row["hits"] for row in job.rows] == ["all_words", *["sequence"] * 5]
    assert standin.count("search") == 2


def test_rcsb_and_a_mirror_of_the_same_entries_agree(tmp_path: Path, standin: StandIn) -> None:
    folder = next(iter(standin.documents.values())).file.path.parent
    for number, query in enumerate(
        ["EGFR kinase", "P00533 3", "2abc ligase", "5HT3 EGFR", '"kinase number 4"', "zebra"]
    ):
        here = settings(tmp_path / "cache", {"kind": "mirror", "mirror": str(folder)}, search_query=query)
        mirror = _Job(tmp_path / f"mirror{number}", here)
        there = settings(tmp_path / "cache", {"kind": "rcsb"}, search_query=query)
        rcsb = _Job(tmp_path / f"rcsb{number}", there)
        assert set(mirror.selected) == set(rcsb.selected)
        assert mirror.reasons == rcsb.reasons
        assert mirror.record["fallbacks"] == rcsb.record["fallbacks"]
