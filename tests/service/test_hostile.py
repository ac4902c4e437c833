"""Attempts of a hostile client besides wrong paths: costly bodies, other sites' pages, endless streams."""

import json
import time
from dataclasses import asdict
from pathlib import Path

import httpx2
import pytest

from service.errors import InvalidJson, InvalidParameter
from service.http.json_body import _depth, parse_object
from service.http.responses import disposition
from service.jobs.durable import write_json
from service.jobs.record import BatchItem, BatchRecord
from service.jobs.store import BATCHES, Store
from service.results.rows import MAX_FILTERS, csv_text, view_of
from tests.service.core import local
from tests.tools.patience import patience
from tethermap.base.tables import Column, Value
from tethermap.drawing.reader import read_depiction

MIB = 1 << 20

COSTLY = [
    b'"' + rb"\"" * (MIB // 2 - 1),
    b'{"a":' + b'"\\' * (MIB // 3),
    b"{" + b",".join(b'"%x":1' % number for number in range(100_000)) + b',"0":1,"0":2}',
    b"[" * MIB,
    b'{"a":' * 100_000,
    b'{"a":' + b"9" * (MIB - 10) + b"}",
]


@pytest.mark.parametrize("body", COSTLY, ids=["escapes", "quotes", "keys", "brackets", "objects", "digits"])
def test_costly_bodies_are_refused_at_little_cost(body: bytes) -> None:
    begun = time.process_time()
    with pytest.raises(InvalidJson) as refused:
        parse_object(body)
    assert "sys." not in refused.value.message
    assert time.process_time() - begun < patience(2)


def test_the_depth_of_a_long_text_costs_less_than_its_parsing() -> None:
    """A regular expression blocks all threads of Python until it ends."""
    body = b'{"a":"' + b"x" * MIB + b'"}' + b" " * MIB
    json.loads(body)
    costs = []
    for run in (lambda: json.loads(body), lambda: _depth(body.decode())):
        begun = time.process_time()
        for _ in range(5):
            run()
        costs.append(time.process_time() - begun)
    parsing, depth = costs
    assert depth < 20 * parsing


ODD_SVG = ['<circle class="atom atom-1"' + " data-sasa=" * 40_000, '<circle class="atom atom-1 ' * 20_000]


@pytest.mark.parametrize("svg", ODD_SVG, ids=["one", "many"])
def test_a_depiction_of_any_text_is_refused_at_little_cost(svg: str) -> None:
    begun = time.process_time()
    with pytest.raises(ValueError, match="no SVG"):
        read_depiction(svg)
    assert time.process_time() - begun < patience(2)


def test_pages_of_other_sites_change_nothing(http: httpx2.Client) -> None:
    posted = ("/api/jobs", "/api/jobs/00000000/cancel", "/api/batches/batch_00000000/cancel", "/", "/monitor/exam1hpv")
    for method, path in (("DELETE", "/api/jobs/00000000"), *(("POST", path) for path in posted)):
        for site in ("cross-site", "same-site"):
            answer = http.request(method, path, headers={"Sec-Fetch-Site": site, "Origin": "https://evil.example"})
            assert answer.status_code == 401, (method, path)
            assert answer.json()["error"]["code"] == "UNAUTHORIZED"
        # Browsers send no other header from a page at a plain http address.
        for origin in ("http://evil.example", "http://[", "null"):
            assert http.request(method, path, headers={"Origin": origin}).status_code == 401, (method, path)
    own = str(http.base_url).rstrip("/")
    assert http.post("/api/jobs/00000000/cancel", headers={"Origin": own}).status_code == 404
    assert http.post("/api/jobs/00000000/cancel", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 404


def test_pages_of_configured_origins_may_change_something(tmp_path: Path) -> None:
    with local(tmp_path, cors_origins=("https://lab.example",)) as client:
        for origin, status in (("https://lab.example", 404), ("https://evil.example", 401)):
            for site in ({"Sec-Fetch-Site": "cross-site"}, {}):
                headers = {**site, "Origin": origin}
                assert client.post("/api/jobs/00000000/cancel", headers=headers).status_code == status


def test_number_of_filters_is_limited() -> None:
    columns = [Column("pdb_id")]
    view_of(columns, [("pdb_id", "1hpv")] * MAX_FILTERS, None)
    with pytest.raises(InvalidParameter):
        view_of(columns, [("pdb_id", "1hpv")] * (MAX_FILTERS + 1), None)


def test_rows_as_csv_contain_no_formula() -> None:
    columns = [Column("Target"), Column("Residue_ID"), Column("x", "number", 1)]
    cells = (("=1+1", "-5"), ("@sum", "-5A"), ("+cmd|x", "7"), ("-2+3", "8"), ("\tx", "9"), ("=", "1"))
    rows: list[dict[str, Value]] = [{"Target": text, "Residue_ID": residue, "x": -1.0} for text, residue in cells]
    lines = csv_text(columns, rows).splitlines()
    assert lines[1:] == ["'=1+1,-5,-1.0", "'@sum,-5A,-1.0", "'+cmd|x,7,-1.0", "'-2+3,8,-1.0", "'\tx,9,-1.0", "=,1,-1.0"]


NAMES = ['a"b.csv', "a\r\nSet-Cookie: x=1.csv", "a\\b.csv", "ä%20;.csv", "\x00.csv", "\u202efdp.csv"]


@pytest.mark.parametrize("name", NAMES)
def test_file_names_add_no_header(name: str) -> None:
    value = disposition(name)
    assert value.isascii()
    assert value.isprintable()
    assert value.count('"') == 2


def test_records_of_batches_are_removed_with_their_last_job(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / BATCHES).mkdir()
    for number, time_ in enumerate(("2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z", "2026-01-01T00:00:00Z")):
        batch = BatchRecord(f"batch_0000000{number}", time_, 0.0, (BatchItem(f"0000000{number}", "t", "q"),))
        write_json(tmp_path / BATCHES / f"{batch.batch_id}.json", asdict(batch))
    (tmp_path / "00000001").mkdir()
    assert store.forget_batches("2025-01-01T00:00:00Z") == ["batch_00000000"]
    assert store.batch("batch_00000000") is None
    assert store.batch("batch_00000001") is not None
