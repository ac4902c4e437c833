"""The results page in a browser: table, drawing and 3D are linked, the address contains the selection."""

import csv
import io
import re
import time
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

import httpx2
import numpy as np
import pytest
from playwright.sync_api import CDPSession, Page, Playwright, Route, expect
from rdkit import Chem

from tests.browser import harness
from tests.browser.harness import AS_WITH_GRAPHICS_CARD, Pages, assert_accessible, picture, readme_picture, sent_bytes
from tests.service.core import NOTHING, REFUSED, LiveService
from tests.tools.figures import calibration
from tests.tools.slopes import cpu_seconds
from tests.tools.wide_job import wide_job
from tethermap.exits.words import OPEN_FROM

SCENE = "[data-scene]"
READY = f"{SCENE}[data-state=ready]"
WIDE_JOB = "a0000400"
CALIBRATED = 0.045
"""Calibration in seconds up to which CPU limits apply; on a slower machine they are scaled."""


@pytest.fixture(scope="package")
def wide(tmp_path_factory: pytest.TempPathFactory) -> LiveService:
    """A service with a job of 400 ligands."""
    folder = tmp_path_factory.mktemp("wide")
    wide_job(folder / "jobs" / WIDE_JOB, 400)
    return LiveService(folder, quick=True)


def state(page: Page) -> dict[str, Any]:
    """Return the content of the 3D view, from its own model."""
    found: dict[str, Any] = page.evaluate(f"document.querySelector('{SCENE}').scene.state()")
    return found


def point_at_atom(page: Page, index: int) -> None:
    """Move the mouse over an atom of the 3D view until it is lit and remains so, as a hand would."""
    page.locator("[data-canvas]").scroll_into_view_if_needed()
    seen = []
    for step in range(50):
        place = page.evaluate(f"document.querySelector('{SCENE}').scene.place({index})")
        page.mouse.move(place["x"] + step % 3, place["y"] - page.evaluate("scrollY") + step % 2)
        for _ in range(2):
            page.wait_for_timeout(400)
            seen.append(state(page)["lit"])
        if seen[-2:] == [index, index]:
            return
    raise AssertionError(f"atom {index} is not lit, but {seen}")


def rows_shown(page: Page) -> list[list[str]]:
    """Return the texts of the rows that the table shows."""
    found: list[list[str]] = page.evaluate(
        """() => [...document.querySelectorAll(".instances tbody tr:not([hidden])")]
            .map((row) => [...row.cells].slice(2).map((cell) => cell.textContent))"""
    )
    return found


def cells_of(text: str) -> list[list[str]]:
    """Return the rows of a CSV as the table would show them."""
    names = ("pdb_id", "Warhead", "ligand_name", "Chain", "answer_atom", "answer_open", "answer_evidence")
    return [
        [*(row[name] for name in names), f"{float(row['resolution']):.2f}", f"{float(row['SASA_in_complex_A2']):.1f}"]
        for row in csv.DictReader(io.StringIO(text))
    ]


def test_atom_is_lit_in_drawing_and_3d_from_both_sides_and_the_address_keeps_all(pages: Pages, mixed: Path) -> None:
    page = pages.open(f"/results/{mixed.name}", accept_downloads=True)
    page.get_by_role("link", name="ZYB in 4cup").click()
    page.wait_for_selector("[data-stem='4cup_A_ZYB_2971']")
    page.wait_for_selector(READY)
    assert state(page)["stem"] == "4cup_A_ZYB_2971"

    # from the drawing into 3D and the table
    page.locator(".flat [value=exposure]").check()
    page.locator("[data-flat] [data-atom='10']").hover()
    assert state(page)["lit"] == 10
    expect(page.locator("[data-atoms] tr.lit")).to_have_attribute("data-atom", "10")
    expect(page.locator("[data-readout]")).to_contain_text("of its own area")
    page.mouse.move(2, 2)
    assert state(page)["lit"] is None

    # and from 3D into the drawing
    point_at_atom(page, 10)
    expect(page.locator("[data-drawing=exposure] [data-lit-ring]")).to_have_attribute("visibility", "visible")
    lit = page.locator("[data-flat] [data-atom='10']")
    assert page.locator("[data-drawing=exposure] [data-lit-ring]").get_attribute("cx") == lit.get_attribute("cx")

    # other surroundings: other colours, other numbers
    before = state(page)["colours"]
    page.locator("[name=context][value=crystal]").check(force=True)
    assert state(page)["context"] == "crystal"
    assert state(page)["colours"] != before
    page.get_by_role("button", name="Surface").click()
    page.wait_for_selector(f"{SCENE}[data-surface=on]")
    page.locator("[name=context][value=target]").check(force=True)
    page.locator("[data-flat] [data-atom='10']").hover()
    readme_picture(page, "results")
    page.locator("[name=context][value=crystal]").check(force=True)

    # filter, then the same as CSV
    page.get_by_label("Words").fill("zyb")
    assert [row[1] for row in rows_shown(page)] == ["ZYB"]
    with page.expect_download() as taken:
        page.get_by_role("link", name="CSV of this view").click()
    assert cells_of(Path(taken.value.path()).read_text(encoding="utf-8")) == rows_shown(page)

    # pin an atom; reload and back keep everything
    page.locator("[data-flat] [data-atom='10']").click()
    expect(page).to_have_url(re.compile("atom="))
    page.reload()
    page.wait_for_selector(READY)
    page.wait_for_selector(f"{SCENE}[data-lit='10']")
    again = state(page)
    assert (again["stem"], again["context"], again["lit"]) == ("4cup_A_ZYB_2971", "crystal", 10)
    assert page.get_by_label("Words").input_value() == "zyb"
    assert len(rows_shown(page)) == 1
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("link", name="GBS in 1gbt").click()
    page.wait_for_selector("[data-stem='1gbt_A_GBS_704']")
    page.go_back()
    page.wait_for_selector("[data-stem='4cup_A_ZYB_2971']")

    with page.expect_download() as taken:
        page.locator(".quick").get_by_role("link", name="SDF").click()
    assert Path(taken.value.path()).read_text(encoding="utf-8").startswith("4cup_A_ZYB_2971\n")


def test_edges_are_smooth_where_that_is_cheap(pages: Pages, mixed: Path) -> None:
    """Smooth ones take four times as many pixels, which the processor fills where there is no graphics card."""
    pixels = "(canvas) => canvas.width / canvas.clientWidth"
    for script, expected in (("", 1), (AS_WITH_GRAPHICS_CARD, 2)):
        page = pages.open(device_scale_factor=1)
        page.add_init_script(script)
        page.goto(f"/results/{mixed.name}")
        page.wait_for_selector(READY)
        assert page.locator("[data-canvas] canvas").evaluate(pixels) == pytest.approx(expected, abs=0.02)


def test_page_opens_with_the_answer_and_shows_its_copy(pages: Pages, mixed: Path) -> None:
    page = pages.open(f"/results/{mixed.name}")
    text = (mixed / "TARGET_RESULTS/Exit_Answers.csv").read_text(encoding="utf-8")
    answers = list(csv.DictReader(io.StringIO(text)))
    leading = [row for row in answers if row["answer_rank"] == "1"]
    leading.sort(key=lambda row: not row["action"].startswith("Attach at"))  # exits that are not recommended are folded
    cards = page.locator(".place")
    expect(cards).to_have_count(len(leading))
    assert page.locator("[data-instance]").get_attribute("data-stem") == leading[0]["best_stem"]
    for number, row in enumerate(leading):
        expect(cards.nth(number)).to_contain_text(row["action"])
        expect(cards.nth(number)).to_contain_text(f"open in {row['n_open']} of {row['n_copies']}")
    last = leading[-1]
    assert page.locator(".place:visible").count() == sum(row["action"].startswith("Attach at") for row in leading) > 0
    page.get_by_text("not recommended, each with the reason").click()
    cards.last.get_by_role("link", name="Look at").click()
    page.wait_for_selector(f"[data-stem='{last['best_stem']}']")
    expect(page).to_have_url(re.compile(f"atom={last['anchor_atom']}"))
    expect(page.locator("[data-readout] strong")).to_have_text(last["anchor_atom"])


def test_sorting_and_back_keep_the_ligand_of_the_page(pages: Pages, mixed: Path) -> None:
    page = pages.open(f"/results/{mixed.name}")
    page.wait_for_selector("[data-results][data-ready]")
    instance = page.locator("[data-instance]")
    shown = str(instance.get_attribute("data-stem"))
    for _ in ("ascending", "descending"):
        page.locator("th[data-key=ligand] a").click()
        page.locator(".job-head a[href='#series']").click()
        page.wait_for_timeout(300)
        expect(instance).to_have_attribute("data-stem", shown)
    page.locator("tbody tr:not([aria-current]) a").last.click()
    expect(instance).not_to_have_attribute("data-stem", shown)
    ligand = page.locator("#instance-title .code-name").inner_text()
    assert f": {ligand} results" in page.title()
    page.go_back()
    expect(instance).to_have_attribute("data-stem", shown)
    assert f": {ligand} results" not in page.title()


def test_table_or_ligand_that_can_not_be_fetched_is_reported(pages: Pages, mixed: Path) -> None:
    pages.watch.expect("ERR_FAILED")
    page = pages.open(f"/results/{mixed.name}")
    page.wait_for_selector("[data-results][data-ready]")
    page.route("**/table?*", lambda route: route.abort())
    page.get_by_text("Columns", exact=True).click()
    box = page.locator("[name=columns]").first
    box.click()
    expect(page.get_by_text("The service does not answer.")).to_be_visible()
    page.unroute("**/table?*")
    box.click()
    expect(page.locator("[data-count]")).to_have_text("3 rows")
    page.route("**/instance?*", lambda route: route.abort())
    page.keyboard.press("Escape")
    shown = page.locator("[data-instance]").get_attribute("data-stem")
    page.locator("tbody tr:not([aria-current]) a").last.click()
    expect(page.locator("[data-readout]")).to_contain_text("could not be loaded: The service does not answer.")
    expect(page.locator("[data-readout]")).to_be_in_viewport()
    expect(page.locator("tbody tr[aria-current] input")).to_have_attribute("value", shown or "")
    assert f"row={shown}" in page.url


def test_surroundings_close_exits_and_are_drawn_if_need_be_at_the_second_try(pages: Pages, mixed: Path) -> None:
    pages.watch.expect("ERR_FAILED")
    page = pages.open(f"/results/{mixed.name}?row=1hpv_A_478_200")
    page.wait_for_selector(READY)
    assert state(page)["partners"] == []
    page.route("**/partners/*", lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed"):
        page.locator("[name=context][value=assembly]").check(force=True)
    page.locator("[name=context][value=crystal]").check(force=True)
    page.wait_for_selector(f"{SCENE}[data-partners~=crystal]")
    found = state(page)
    assert dict(found["partners"])["crystal"] > 20
    shut = [int(text) for text in page.locator(".site.closed > .site-head .mark").all_text_contents()]
    assert found["closed"] == [rank for rank in shut if rank <= 5]
    assert set(found["closed"]) > {rank for rank in _closed_alone(mixed, "1hpv_A_478_200") if rank <= 5}
    expect(page.locator("[data-closed-here]")).to_contain_text("symmetry mates close exit")
    page.locator(".flat [value=exits]").check()
    expect(page.locator("[data-drawing=exits] .exit.shut")).to_have_count(len(found["closed"]))
    page.locator("[data-drawing=exits] [data-atom-exits='3']").hover()
    assert state(page)["lit"] == 3
    before = state(page)["camera"]
    page.locator("tr[data-partner]").first.click()
    assert state(page)["camera"] != before
    assert_accessible(page)


def _closed_alone(job: Path, stem: str) -> list[int]:
    text = (job / "TARGET_RESULTS/Exit_Vectors.csv").read_text(encoding="utf-8")
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["stem"] == stem and row["site_rank"]]
    best = {int(row["site_rank"]): row for row in reversed(rows)}
    return [rank for rank, row in best.items() if min(float(row["E"]), float(row["F"])) < OPEN_FROM]


def test_view_in_3d_is_not_kept_for_another_ligand(pages: Pages, mixed: Path) -> None:
    """The other ligand is fetched for longer than the address waits before it keeps a view."""
    page = pages.open(f"/results/{mixed.name}?row=4cup_A_ZYB_2971")
    page.wait_for_selector(READY)

    def late(route: Route) -> None:
        time.sleep(1)
        route.continue_()

    page.route("**/*1hpv_A_478_200*", late)
    page.locator("[data-canvas]").focus()
    page.keyboard.press("ArrowLeft")
    page.locator(".instances tr:has([value='1hpv_A_478_200']) a").click()
    page.wait_for_selector("[data-stem='1hpv_A_478_200']")
    page.wait_for_selector(READY)
    assert "view=" not in page.url


def test_selected_ligands_are_superposed(pages: Pages, mixed: Path) -> None:
    page = pages.open(f"/results/{mixed.name}")
    page.locator("[name=stem][value='1hpv_A_478_200']").check()
    page.get_by_role("button", name="Overlay").click()
    page.wait_for_selector("[data-overlay][data-state=ready]")
    placed = page.evaluate("document.querySelector('[data-overlay]').overlay.atoms()")
    assert [len(atoms) for atoms in placed] == [35]
    assert_accessible(page)


def test_best_copies_of_a_job_are_superposed_shown_hidden_and_named(pages: Pages, mixed: Path) -> None:
    page = pages.open(f"/results/{mixed.name}/overlay", accept_downloads=True)
    page.wait_for_selector("[data-overlay][data-state=ready]")
    count = "document.querySelector('[data-overlay]').overlay.shown()"
    assert page.evaluate(count) == page.locator("[data-ligand]").count() >= 1
    labels = "document.querySelector('[data-overlay]').overlay.labels()"
    named = page.evaluate(labels)
    names = page.evaluate("document.querySelector('[data-overlay]').overlay.names()")
    assert all(abs(a["x"] - b["x"]) >= 60 or abs(a["y"] - b["y"]) >= 18 for a, b in combinations(names, 2))
    page.get_by_role("button", name="Residues").click()
    assert named - page.evaluate(labels) == len(names) > 5
    with page.expect_download() as saved:
        page.get_by_role("button", name="SDF").click()
    records = Chem.SDMolSupplier(str(saved.value.path()))
    placed = page.evaluate("document.querySelector('[data-overlay]').overlay.atoms()")
    for mol, atoms in zip(records, placed, strict=True):
        assert np.allclose(mol.GetConformer().GetPositions(), atoms, atol=1e-3)
    page.locator("[data-ligand='0']").uncheck()
    assert page.evaluate(count) == page.locator("[data-ligand]").count() - 1
    page.get_by_role("button", name="Directions").click()
    assert page.evaluate(labels) == 0
    assert_accessible(page)


def test_everything_works_by_keyboard(pages: Pages, mixed: Path) -> None:
    page = pages.open(f"/results/{mixed.name}?row=4cup_A_ZYB_2971")
    page.wait_for_selector(READY)
    stems = page.locator("[name=stem]").evaluate_all("(boxes) => boxes.map((box) => box.value)")
    place = stems.index("1hpv_A_478_200")
    page.locator(".instances tbody a").nth(place - 1 if place else 1).focus()
    page.keyboard.press("ArrowDown" if place else "ArrowUp")
    page.wait_for_selector("[data-stem='1hpv_A_478_200']")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="ZIP of selected (1)")).to_be_enabled()
    page.wait_for_selector(READY)
    page.locator("[data-canvas]").focus()
    page.keyboard.press("p")
    assert state(page)["lit"] == 34  # the one before the first is the last

    page.locator(".of-exits .hits [tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    assert state(page)["lit"] == 1
    page.keyboard.press("End")
    assert state(page)["lit"] == 34
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("atom="))

    page.locator("[data-atoms] tr[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    assert state(page)["lit"] == 1

    page.locator("[data-canvas]").focus()
    camera = state(page)["camera"]
    page.keyboard.press("ArrowLeft")
    assert state(page)["camera"] != camera
    page.keyboard.press("e")
    assert state(page)["exits"] == 0
    page.keyboard.press("n")
    assert state(page)["lit"] is not None

    flags = page.locator(".menu summary").first
    flags.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(flags).to_be_focused()

    def as_of_a_large_job(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('data-complete="true"', 'data-complete="false"'))

    page.route("**/table?*", as_of_a_large_job)
    page.get_by_text("Columns", exact=True).click()
    page.locator("[name=columns]").first.click()
    page.wait_for_selector("[data-complete=false]")
    page.keyboard.press("Escape")
    head = page.locator("th[data-key=ligand]")
    head.locator("a").press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(head.locator("a")).to_be_focused()


def test_page_works_without_scripts(pages: Pages, mixed: Path) -> None:
    page = pages.open(f"/results/{mixed.name}?q=478&context=chain", java_script_enabled=False)
    expect(page.locator(".instances tbody tr:visible")).to_have_count(1)
    expect(page.get_by_text("3D requires JavaScript")).to_be_visible()
    expect(page.locator(".pocket")).to_be_hidden()
    expect(page.get_by_text("Where a linker can leave")).to_be_visible()
    page.locator("[name=q]").fill("")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".instances tbody tr:visible")).to_have_count(3)
    page.get_by_role("link", name="GBS in 1gbt").click()
    expect(page.locator("[data-instance]")).to_have_attribute("data-stem", "1gbt_A_GBS_704")


def test_page_works_without_webgl(playwright: Playwright, service: LiveService) -> None:
    browser = harness.launch(playwright, "--disable-3d-apis")
    with harness.watched(browser, service.address) as pages:
        page = pages.open("/results/exam1hpv")
        page.wait_for_selector(f"{SCENE}[data-state=no-webgl]")
        expect(page.get_by_text("This browser does not support WebGL")).to_be_visible()
        page.locator("[data-flat] [data-atom-exits='3']").hover()
        expect(page.locator("[data-readout] strong")).to_be_visible()
    browser.close()


def test_viewer_that_can_not_be_fetched_is_reported(pages: Pages) -> None:
    pages.watch.expect("ERR_FAILED")
    page = pages.open("/browse")
    page.route("**/vendor/3dmol.js", lambda route: route.abort())
    page.goto("/results/exam1hpv")
    page.wait_for_selector(f"{SCENE}[data-state=failed]")
    expect(page.get_by_text("3Dmol.js could not be loaded.")).to_be_visible()

    def not_installed(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub(r'"vendor": "[^"]*"', '"vendor": null', answer.text()))

    page.route("**/results/exam1hpv", not_installed)
    page.goto("/results/exam1hpv")
    page.wait_for_selector(f"{SCENE}[data-state=missing]")
    expect(page.get_by_text("This server was set up without 3Dmol.js")).to_be_visible()


LONG = NOTHING | {"target_name": 64 * "W", "search_query": 60 * "zebra"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (NOTHING, "No ligand was kept"),
        (LONG, f"No entry matches “{60 * 'zebra'}”"),
        (REFUSED, "The job failed while searching"),
    ],
)
def test_job_without_ligands_shows_the_reason(
    pages: Pages, service: LiveService, body: dict[str, Any], words: str
) -> None:
    job_id = service.submit(body)
    service.ended(job_id)
    page = pages.open(f"/results/{job_id}")
    expect(page.get_by_text(words)).to_be_visible()
    picture(page, f"results-{words.split()[1]}")
    page.goto(f"/compare?a={job_id}&b=exam1hpv")
    for width in (360, 768):
        page.set_viewport_size({"width": width, "height": 900})
        harness.assert_fits(page)


def test_waiting_and_canceled_jobs_have_pages(pages: Pages, service: LiveService, waiting: str) -> None:
    page = pages.open(f"/results/{waiting}")
    expect(page.get_by_role("link", name="Show progress")).to_be_visible()
    assert_accessible(page)
    service.call("POST", f"/api/jobs/{waiting}/cancel")
    service.ended(waiting)
    expect(page.get_by_text("This job was canceled")).to_be_visible()  # the page reloads


def test_series_is_fetched_when_it_is_unfolded(pages: Pages, mixed: Path) -> None:
    page = pages.open(f"/results/{mixed.name}")
    page.get_by_text("without relatives in this job").click()
    page.locator("[data-series=S001] > summary").click()
    expect(page.locator("[data-series-view=S001] .heat")).to_be_visible()
    assert page.locator("[data-series-view=S001] .heat thead th").count() > 5
    assert_accessible(page)


def test_page_is_accessible_and_looks_as_kept(pages: Pages) -> None:
    page = pages.open("/results/exam1hpv")
    page.wait_for_selector(READY)
    page.locator("[data-flat] [data-atom-exits='2']").click()
    assert_accessible(page)
    page.locator(".flat [value=contacts]").check()
    amid = page.locator(".flat img")
    assert amid.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert_accessible(page, within=".flat")
    page.locator(".flat [value=exits]").check()
    picture(page, "results")


def test_large_job_is_light_and_quick(wide: LiveService, browser: Any) -> None:
    with wide as service, harness.watched(browser, service.address) as pages:
        page = pages.open("/browse")
        finished: list[Any] = []
        page.on("requestfinished", lambda request: finished.append(request))  # noqa: PLW0108 - Playwright marks the function
        page.route("**/vendor/3dmol.js", lambda route: route.abort())
        pages.watch.expect("ERR_FAILED|Failed to load")
        page.goto(f"/results/{WIDE_JOB}")
        page.wait_for_selector("[data-results][data-ready]")
        page.wait_for_load_state("networkidle")
        shown = page.locator("[data-instance]").get_attribute("data-stem")  # the script has fetched it
        assert shown == page.locator("tr[aria-current=true] input[name=stem]").get_attribute("value")
        assert sent_bytes(list(finished)) < 400_000
        meter = page.context.new_cdp_session(page)
        meter.send("Performance.enable", {"timeDomain": "threadTicks"})
        times = []
        for words in ("1gbt", "20", "covalent", "478 200", "zyb", ""):
            before = _busy_ms(meter)
            page.get_by_label("Words").fill(words)
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
            times.append(_busy_ms(meter) - before)
        assert len(rows_shown(page)) == 400
        slower = max(1.0, calibration() / CALIBRATED)
        assert median(times) < 100 * slower
        assert _server_ms(service) < 150 * slower


def _busy_ms(meter: CDPSession) -> float:
    """Return the CPU time of the page's thread so far: scripts, style, layout."""
    metrics = {item["name"]: item["value"] for item in meter.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(metrics["ScriptDuration"] + metrics["LayoutDuration"] + metrics["RecalcStyleDuration"])


def _server_ms(service: LiveService) -> float:
    """Return the mean CPU time of all the service's threads for the page; wall time includes other work."""
    begun, address = cpu_seconds(service.process_id), f"{service.address}/results/{WIDE_JOB}"
    for _ in range(5):
        httpx2.get(address, headers={"Accept-Encoding": "identity"}).raise_for_status()
    return 1000 * (cpu_seconds(service.process_id) - begun) / 5
