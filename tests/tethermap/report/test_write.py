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
from tethermap.base.tables import Row
from tethermap.report import content, render, write
from tethermap.report.write import write_report

VOID = {"meta", "link", "br", "input", "img", "hr"}


class Page(HTMLParser):
    """Collects the content of a page and fails on tags that don't match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.anchors: list[str] = []
        self.sources: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.attributes |= values.keys()
        if values.get("id"):
            self.ids.append(str(values["id"]))
        if tag == "a":
            self.anchors.append(str(values["href"]))
        self.sources += [str(values[name]) for name in ("src", "data", "action") if name in values]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


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
    parser = Page()
    parser.feed(html)
    assert parser.open == []
    return parser


def test_the_page_needs_nothing_from_elsewhere(html: str, page: Page) -> None:
    assert page.sources == []
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
    assert not {name for name in page.attributes if name == "style" or name.startswith("on")}


def test_ids_are_unique_and_inner_links_have_targets(page: Page) -> None:
    assert len(set(page.ids)) == len(page.ids)
    assert {anchor[1:] for anchor in page.anchors if anchor.startswith("#")} <= set(page.ids)


def test_links_to_files_are_relative_to_the_report_and_exist(page: Page, tmp_path: Path) -> None:
    job = small_job(tmp_path)
    files = [anchor for anchor in page.anchors if not anchor.startswith(("#", "https://doi.org/"))]
    assert len(files) == 2 * 5
    assert all((job.path / layout.RESULTS / path).is_file() for path in files)


def test_text_of_the_user_is_escaped(html: str) -> None:
    assert "Small &amp; &lt;target&gt;" in html
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


def test_rejected_ligands_have_reason_sentence_and_number(html: str) -> None:
    assert "More entries were found than max_entries allows" in html
    assert "9xyz (9)" in html
    assert "SO4 × 3" in html


def test_series_show_their_core(html: str) -> None:
    assert "S001: 3 components, 5 instances" in html
    assert "LIG 1abc A 9, 0 O: 0.78" in html  # the core begins with the second atom


def test_failed_checks_are_named(html: str) -> None:
    assert "<code>2abc_B_017_-3</code>" in html
    assert "&lt;short&gt;" in html


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
        parser = Page()
        parser.feed(text)
        folder = (job / layout.RESULTS / place).parent
        for link in [*parser.anchors, *parser.sources]:
            path, _, anchor = link.partition("#")
            if path and "//" not in path:
                assert (folder / path).is_file(), link
            if anchor and path.endswith(".html"):
                assert f'id="{anchor}"' in (folder / path).read_text(encoding="utf-8")
    assert "ligands_2.html#ligand-017" in html
    monkeypatch.undo()
    reported(SmallJob(job, ["0"]))
    assert not (job / layout.REPORT_PAGES).exists()
