"""Assets of pages, and the transfer of pages and JSON."""

import gzip
import re
from pathlib import Path

import httpx2
import pytest
from markupsafe import escape

from service.app import endpoints
from service.http.openapi import document
from service.pages.assets import STATIC, VENDOR, VENDORED, Assets
from service.pages.render import environment
from tests.service.answers import DEFAULTS
from tethermap.base.reasons import GLOSSARY


def test_help_page_has_the_glossary_of_the_methods(http: httpx2.Client) -> None:
    page = http.get("/help").text
    assert 'href="#glossary"' in page
    assert len(GLOSSARY) >= 25
    assert all(f"<b>{word}</b></dt><dd>{escape(meaning)}</dd>" in page for word, meaning in GLOSSARY.items())


@pytest.fixture(scope="module")
def style(http: httpx2.Client) -> str:
    """The address of the style sheet, as a page names it."""
    found = re.search(r'<link rel="stylesheet" href="([^"]+)"', http.get("/").text)
    assert found
    return found[1]


def test_file_of_this_version_is_cached_for_ever_and_of_another_is_requested_again(
    http: httpx2.Client, style: str
) -> None:
    assert "immutable" in http.get(style).headers["cache-control"]
    other = re.sub(r"/static/\w+/", "/static/000000000000/", style)
    answer = http.get(other)
    assert answer.headers["cache-control"] == "no-cache"
    again = http.get(other, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.headers["vary"]) == (304, "Accept-Encoding")


def test_version_changes_with_the_content_of_any_file(tmp_path: Path) -> None:
    (tmp_path / "js").mkdir()
    (tmp_path / "js/a.js").write_text("1")
    first = Assets(tmp_path, tmp_path)
    (tmp_path / "js/a.js").write_text("2")
    assert Assets(tmp_path, tmp_path).url("js/a.js") != first.url("js/a.js")


@pytest.mark.parametrize(
    "name",
    ["../render.py", "..%2frender.py", "%2e%2e/assets.py", "js/../../render.py", "//etc/passwd", "%00", ".", "", "js",
     "vendor/../../assets/package.json", "node_modules/3dmol/package.json", "..\\render.py"],
)  # fmt: skip
def test_only_listed_files_are_served(http: httpx2.Client, style: str, name: str) -> None:
    base = style.removesuffix("house.css")
    assert http.get(base + name).status_code in (404, 307)


def test_pages_work_without_vendored_files(tmp_path: Path) -> None:
    assets = Assets(STATIC, tmp_path)
    assert not any(assets.has(name) for name in VENDOR)
    api = document(endpoints(), DEFAULTS)
    text = environment(assets).get_template("api_docs.html.j2").render(api=api)
    assert "The explorer was not set up on this server" in text
    assert "vendor/" not in text
    assert all(f"</strong> {path}</td>" in text for path in api["paths"])


@pytest.mark.skipif(not VENDORED.is_dir(), reason="the set-up found no npm")
def test_every_vendored_file_is_there_after_the_set_up(http: httpx2.Client, style: str) -> None:
    for name in VENDOR:
        assert http.get(style.replace("house.css", name)).status_code == 200


@pytest.mark.parametrize("path", ["/examples", "/api/examples", "/openapi.json"])
def test_text_is_compressed_for_clients_that_accept_it(http: httpx2.Client, path: str) -> None:
    plain = http.get(path, headers={"Accept-Encoding": "identity"})
    packed = http.get(path, headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
    assert packed.content == plain.content
    assert int(packed.headers["content-length"]) < len(plain.content) / 2


@pytest.mark.parametrize(
    ("accepted", "taken"),
    [("gzip;q=0", False), ("br, gzip; q=0.000", False), ("", False), ("GZIP;q=0.5, br", True), ("br;q=0, gzip", True)],
)
def test_client_header_decides_whether_gzip_is_accepted(
    http: httpx2.Client, style: str, accepted: str, taken: bool
) -> None:
    for path in ("/api/examples", style):
        answer = http.get(path, headers={"Accept-Encoding": accepted})
        assert ("content-encoding" in answer.headers) == taken, path


def test_compressed_answer_has_a_weak_tag_that_still_matches(http: httpx2.Client) -> None:
    tag = http.get("/openapi.json", headers={"Accept-Encoding": "gzip"}).headers["etag"]
    assert tag.startswith('W/"')
    for encoding in ("gzip", "identity"):
        headers = {"Accept-Encoding": encoding, "If-None-Match": tag}
        assert http.get("/openapi.json", headers=headers).status_code == 304


def test_files_are_sent_unchanged(http: httpx2.Client) -> None:
    answer = http.get("/api/jobs/exam1hpv/files/Results_Display.csv", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in answer.headers
    assert int(answer.headers["content-length"]) == len(answer.content)


def test_compressed_static_file_is_the_file(http: httpx2.Client, style: str) -> None:
    with http.stream("GET", style, headers={"Accept-Encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert gzip.decompress(raw) == (STATIC / "house.css").read_bytes()


def test_pages_forbid_inline_scripts_eval_and_other_hosts(http: httpx2.Client) -> None:
    for path in ("/", "/browse", "/examples", "/api-docs", "/nowhere", "/results/exam1hpv", "/monitor/exam1hpv"):
        policy = http.get(path).headers["content-security-policy"]
        strict = {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"}
        assert strict <= set(policy.split("; "))
        assert ("unsafe" in policy, "http" in policy) == (False, False)
