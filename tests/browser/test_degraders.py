"""From a target and a recruiter to molecules and files, on the page: jobs of BRD4 and VHL from the large mirror."""

import csv
import io
import json
import re
import shutil
import time
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
import pytest
from playwright.sync_api import Browser, expect

from service.extras.board import MOST_NOTE, MOST_PINS
from service.jobs.outcome import record_of_folder
from service.jobs.record import RECORD
from tests.browser import harness
from tests.service.core import LiveService
from tests.tools.patience import patience
from tests.tools.shared import target_run

JOBS = {"BRD4": "b0000001", "VHL": "b0000002"}


@pytest.fixture(scope="module")
def halves(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A service with both jobs."""
    folder = tmp_path_factory.mktemp("halves")
    for number, (name, job_id) in enumerate(JOBS.items(), 1):
        job = folder / "jobs" / job_id
        shutil.copytree(
            target_run(tmp_path_factory, mirror, name).job, job, ignore=shutil.ignore_patterns(".snakemake")
        )
        (job / RECORD).write_text(json.dumps(asdict(record_of_folder(job, job_id, "cli", sequence=number))))
    with LiveService(folder, quick=True) as live:
        yield live


def test_mz1_like_degraders_come_from_one_cell_of_the_board(halves: LiveService, browser: Browser) -> None:
    began = time.monotonic()
    address = f"http://127.0.0.1:{halves.port}"
    with harness.watched(browser, address) as pages:
        page = pages.open(f"/degraders?a={JOBS['BRD4']}&b={JOBS['VHL']}&linkers=PEG")
        cell = page.locator("td", has_text="molecules of 0S6 C23 with 759 CBT").locator("a.cell")
        expect(cell).to_contain_text("9.2 Å")
        cell.click()
        rows = page.locator("table[data-degraders] tbody tr")
        expect(rows.first).to_be_visible()
        shown = rows.count()
        assert shown >= 5
        assert rows.locator("svg.molecule").count() == shown
        masses = sorted(float(text) for text in page.locator("[data-degraders] td:nth-child(3)").all_inner_texts())
        page.get_by_role("spinbutton", name="MW at most").fill(str(round(masses[shown // 2])))
        assert 0 < page.locator("[data-degraders] tbody tr:visible").count() < shown
        harness.assert_accessible(page)
        link = str(page.get_by_role("link", name="CSV").get_attribute("href"))
        table = httpx2.get(address + link, timeout=patience(60))
        assert len(list(csv.DictReader(io.StringIO(table.text)))) == shown
        assert not page.locator("tbody tr", has_text="a half is changed").count()
        link = str(page.get_by_role("link", name="ZIP").first.get_attribute("href"))
        asked = urlsplit(link)
        other = {**dict(parse_qsl(asked.query)), "degrader": "CCO"}
        refused = httpx2.get(address + asked.path, params=other, timeout=patience(60))
        assert (refused.status_code, "does not contain" in refused.text) == (404, True)
        inputs = httpx2.get(address + link, timeout=patience(60))
    with zipfile.ZipFile(io.BytesIO(inputs.content)) as archive:
        folders = {Path(name).parts[0] for name in archive.namelist()}
    assert folders >= {"prosettac", "p4ward"}
    assert time.monotonic() - began < patience(60)


def test_pins_and_notes_stay_in_the_address_and_print_on_one_page(halves: LiveService, browser: Browser) -> None:
    with harness.watched(browser, f"http://127.0.0.1:{halves.port}") as pages:
        page = pages.open(f"/degraders?a={JOBS['BRD4']}&b={JOBS['VHL']}")
        links = page.get_by_role("link", name=re.compile("^Pin of "))
        pairs = [dict(parse_qsl(urlsplit(str(link.get_attribute("href"))).query))["pin"] for link in links.all()]
        links.first.click()
        page.get_by_label("Note on").fill("make <this> one first & soon")
        page.get_by_role("button", name="Save notes").click()
        expect(page.locator(".sheet > svg")).to_contain_text("make <this> one first & soon")
        expect(page.get_by_label("Note on")).to_have_value("make <this> one first & soon")
        pins = [("pin", pair) for pair in pairs[1:MOST_PINS]] + [("note", "x" * MOST_NOTE)] * (MOST_PINS - 1)
        page.goto(f"{page.url}&{urlencode(pins)}")
        expect(page.get_by_role("link", name="Remove pin of").first).to_be_visible()
        assert not links.count()
        harness.picture(page, "board")
        printed = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1


def test_an_exit_lists_what_to_buy_or_make_on_request(halves: LiveService, browser: Browser) -> None:
    with harness.watched(browser, f"http://127.0.0.1:{halves.port}") as pages:
        page = pages.open(f"/results/{JOBS['BRD4']}?row=6duv_A_0S6_501")
        box = page.locator("details.handle").first
        box.locator("summary").click()
        expect(box.locator("li").first).to_contain_text("carboxylic acid: ")
        expect(box).to_contain_text("contacts remain")
        harness.assert_accessible(page)
