import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.tools.parts import put_rows
from tests.tools.small_job import SETTINGS, SmallJob, small_job
from tethermap.base import layout
from tethermap.base.records import part
from tethermap.base.root import ROOT
from tethermap.base.tables import Row
from tethermap.report import content, render, write
from tethermap.report.write import write_report

SOURCES = ("src", "data", "action")
VOID = {"meta", "link", "br", "input", "img", "hr"}


class Page(HTMLParser):
    """Collects the attributes of a page and fails on tags that don't match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._open: list[str] = []
        self._attributes: list[tuple[str, str, str | None]] = []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._attributes += [(tag, *pair) for pair in attrs]
        self._open += [tag] * (tag not in VOID)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._attributes += [(tag, *pair) for pair in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def names(self) -> set[str]:
        """Return the names of all attributes."""
        return {name for _, name, _ in self._attributes}

    def values(self, *names: str) -> list[str]:
        """Return the values of attributes; those of ``href`` of links only."""
        return [str(value) for tag, name, value in self._attributes if name in names and (name != "href" or tag == "a")]


def reported(job: SmallJob) -> str:
    for shard in job.shards:
        failed: Row = {"stem": "2abc_B_017_-3", "check": "bonds", "passed": False, "value": "0.3", "detail": "<short>"}
        good: Row = {"stem": "1abc_A_LIG_9", "check": "formula", "passed": True}
        put_rows(job.path, shard, "check_results/checks", [good, failed] if shard == "0" else [good])
    job.run("build_tables")
    report = job.path / layout.REPORT
    checks = [part(job.path, shard, "check_results/checks") for shard in job.shards]
    write_report(job.path, checks, settings=SETTINGS)
    return report.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    return reported(small_job(tmp_path_factory.mktemp("job")))


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_the_page_needs_nothing_from_elsewhere(html: str, page: Page) -> None:
    assert page.values(*SOURCES) == []
    assert "@import" not in html
    assert not re.search(r"<link|<iframe|<img|<object|url\((?!#)", html)


def test_its_policy_allows_its_own_style_and_script_only(html: str, page: Page) -> None:
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert found is not None
    policy = found[1]
    assert policy.startswith("default-src &#39;none&#39;;")
    for tag in ("style", "script"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy.replace("&#43;", "+")
    assert "unsafe" not in policy
    assert not {name for name in page.names() if name == "style" or name.startswith("on")}


def test_one_is_singular() -> None:
    text = (ROOT / "data/examples/exam4cup" / layout.REPORT).read_text(encoding="utf-8")
    for words in ("entry found", "entry with a ligand kept", "ligand instance", "different ligand"):
        assert f"<b>1</b><span>{words}</span>" in text


def test_ids_are_unique_and_inner_links_have_targets(page: Page) -> None:
    ids = page.values("id")
    assert len(set(ids)) == len(ids)
    assert {anchor[1:] for anchor in page.values("href") if anchor.startswith("#")} <= set(ids)


def test_links_to_files_are_relative_to_the_report_and_exist(page: Page, tmp_path: Path) -> None:
    job = small_job(tmp_path)
    files = [anchor for anchor in page.values("href") if not anchor.startswith(("#", "https://doi.org/"))]
    assert len(files) == 2 * 5
    assert all((job.path / layout.RESULTS / path).is_file() for path in files)


@pytest.mark.parametrize(
    "words",
    [
        "Small &amp; &lt;target&gt;",  # text of the user is escaped
        "More entries were found than max_entries allows", "9xyz (9)", "SO4 × 3",  # rejections have reasons and numbers
        "S001: 3 components, 5 instances",
        "LIG 1abc A 9, 1 O: 0.78",  # the core begins with the second atom
        "<code>2abc_B_017_-3</code>", "&lt;short&gt;",  # the failed check
    ],
)  # fmt: skip
def test_report_has_the_results_of_the_job(html: str, words: str) -> None:
    assert words in html
    assert "<target>" not in html


def test_every_component_has_a_card_with_both_depictions(html: str) -> None:
    cards = re.findall(r'<article class="card" id="ligand-(\w+)".*?</article>', html, re.DOTALL)
    assert cards == ["LIG", "017", "A1BCD"]
    assert len(re.findall(r"<figure><svg", html)) == 2 * len(cards)


def test_all_instances_are_listed(html: str) -> None:
    found = re.search(r'<table class="sortable" id="instances">(.*?)</table>', html, re.DOTALL)
    assert found is not None
    table = found[1]
    assert table.count("<tr>") == 1 + 5
    assert "2abc A" not in html
    assert "2abc B -3" in html


def test_the_same_results_give_the_same_bytes(html: str, tmp_path: Path) -> None:
    assert reported(small_job(tmp_path, n_shards=1)) == html


def test_job_without_ligands_has_a_report_of_reasons(tmp_path: Path) -> None:
    html = reported(small_job(tmp_path, entries=()))
    assert "No ligand was kept." in html
    assert "cut_by_max_entries" in html
    assert 'id="all"' not in html


def test_many_ligands_are_on_pages_that_link_to_one_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (content, render, write):
        monkeypatch.setattr(module, "CARDS_PER_PAGE", 1)
    job = small_job(tmp_path).path
    html = reported(SmallJob(job, ["0"]))
    pages = {path.name: path.read_text(encoding="utf-8") for path in sorted((job / layout.REPORT_PAGES).iterdir())}
    assert list(pages) == ["ligands_2.html", "ligands_3.html"]
    assert [len(re.findall(r'<article class="card"', text)) for text in (html, *pages.values())] == [1, 1, 1]
    for place, text in (("report.html", html), *((f"report/{name}", text) for name, text in pages.items())):
        folder = (job / layout.RESULTS / place).parent
        for link in Page(text).values("href", *SOURCES):
            path, _, anchor = link.partition("#")
            if path and "//" not in path:
                assert (folder / path).is_file(), link
            if anchor and path.endswith(".html"):
                assert f'id="{anchor}"' in (folder / path).read_text(encoding="utf-8")
    assert "ligands_2.html#ligand-017" in html
    monkeypatch.undo()
    reported(SmallJob(job, ["0"]))
    assert not (job / layout.REPORT_PAGES).exists()
