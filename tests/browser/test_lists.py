"""Lists of jobs and examples, and the page of the API."""

import csv
import io

from playwright.sync_api import expect

from tests.browser.harness import Pages, assert_accessible, picture
from tests.service.core import LiveService


def test_csv_contains_exactly_the_jobs_of_the_view(pages: Pages) -> None:
    page = pages.open("/browse")
    page.get_by_role("textbox", name="Ligand", exact=True).fill("478")
    page.get_by_role("combobox", name="Results").select_option("with")
    page.wait_for_url("**/browse?*available=true*")
    shown = page.locator("tbody tr td:last-child").all_inner_texts()
    assert shown
    link = page.get_by_role("link", name="CSV of these").get_attribute("href")
    rows = list(csv.DictReader(io.StringIO(page.request.get(f"{pages.address}{link}").text())))
    assert [row["job_id"] for row in rows] == shown
    page.get_by_role("link", name="Clear").click()
    expect(page.get_by_role("textbox", name="Ligand", exact=True)).to_have_value("")


def test_jobs_are_sorted_and_paged(pages: Pages, service: LiveService) -> None:
    page = pages.open("/browse?limit=2&sort=job_id")
    total = service.call("GET", "/api/indexed-jobs")[1]["count"]
    assert total >= 3
    names = page.locator("tbody tr td:last-child").all_inner_texts()
    expect(page.locator("caption")).to_have_text(f"1–2 of {total} jobs")
    page.get_by_role("link", name="Next →").click()
    expect(page.locator("caption")).to_contain_text("3–")
    names += page.locator("tbody tr td:last-child").all_inner_texts()
    assert names == sorted(names)
    assert len(set(names)) == len(names)
    page.get_by_role("link", name="Target").click()
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Target")
    expect(page.locator("caption")).to_have_text(f"1–2 of {total} jobs")  # as long as before
    assert_accessible(page)
    page.goto("/browse")
    picture(page, "browse")


def test_list_names_the_submitter_in_words(pages: Pages) -> None:
    page = pages.open("/browse?target=tryp")
    expect(page.locator("tbody td").nth(6)).to_have_text("us, as an example")


def test_filters_are_folded_on_phones_only(pages: Pages) -> None:
    page = pages.open("/browse?available=true&protein=HIV", viewport={"width": 390, "height": 844})
    target, rows = page.get_by_role("textbox", name="Target", exact=True), page.locator("tbody tr")
    expect(target).not_to_be_visible()
    box = rows.first.bounding_box()
    assert box is not None
    assert box["y"] < 480
    page.get_by_text("Filter jobs · Target: HIV · Results: with").click()
    expect(target).to_have_value("HIV")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/browse")
    expect(target).to_be_visible()
    expect(page.get_by_text("Filter jobs", exact=True)).not_to_be_visible()


def test_view_without_jobs_shows_the_way_back(pages: Pages) -> None:
    page = pages.open("/browse?protein=no+such+target")
    expect(page.get_by_text("No job matches.")).to_be_visible()
    picture(page, "browse-empty", themes=False)


def test_lists_work_without_scripts(pages: Pages) -> None:
    page = pages.open("/browse", java_script_enabled=False)
    page.get_by_role("textbox", name="Target", exact=True).fill("tryp")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Trypsin").click()
    page.wait_for_url("**/results/exam1gbt*")
    page.goto("/api-docs")
    expect(page.get_by_text("/api/indexed-jobs")).to_be_attached()


def test_examples_show_their_ligand_and_lead_to_results(pages: Pages) -> None:
    page = pages.open("/examples")
    drawings = page.locator(".plate img").all()
    assert drawings
    for drawing in drawings:  # they are fetched when they are scrolled into view
        drawing.scroll_into_view_if_needed()
        expect(drawing).to_have_js_property("complete", value=True)
        assert drawing.evaluate("(image) => image.naturalWidth") > 100
    picture(page, "examples")
    page.get_by_role("link", name="HIV-1 protease with amprenavir", exact=True).click()
    picture(page, "example")
    page.get_by_role("link", name="Results").click()
    page.wait_for_url("**/results/exam1hpv*")


def test_missing_example_is_reported_and_can_be_run(pages: Pages) -> None:
    page = pages.open("/examples/exambrd4")
    expect(page.get_by_text("Not on this server.")).to_be_visible()
    assert page.get_by_role("link", name="Results").count() == 0
    picture(page, "example-unavailable")
    page.get_by_role("link", name="Run with changes").click()
    expect(page.locator("#target_name")).to_have_value("BRD4")
    page.goto("/monitor/exambrd4")
    expect(page.get_by_role("heading", name="BRD4 bromodomains")).to_be_visible()


def test_both_sides_of_a_degrader_are_shown_in_columns(pages: Pages) -> None:
    page = pages.open("/compare?a=exam4cup&b=exam1hpv")
    expect(page.locator(".pairs li").first).to_contain_text("evidence")
    picture(page, "compare", whole=False)
    page.locator("[name=a_ligand]").select_option("ZYB")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**a_ligand=ZYB*")
    page.goto("/compare?a=exam4cup&b=exam1hpv&a_ligand=XYZ")
    expect(page.get_by_text("No pairs")).to_be_visible()
    page.goto("/compare")
    picture(page, "compare-empty")
