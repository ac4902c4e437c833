"""Every control of every page is reached and used by keyboard."""

import pytest
from playwright.sync_api import expect

from tests.browser.harness import Pages, picture, tab_to

CONTROLS = """() => {
    const tags = "a[href], button:enabled, input:enabled:not([type=hidden]), select:enabled, textarea:enabled, summary";
    const own = [...document.querySelectorAll(`${tags}, [tabindex="0"]`)];
    return own.filter((one) => one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }))
        .filter((one) => one.type !== "radio" || one.checked)
        .map((one) => (one.dataset.seen = "", one)).length;
}"""
"""Marks what a hand could use and returns how many these are; of a group of radio buttons one is in the order."""

MARK_FOCUSED = """() => {
    const focused = document.activeElement;
    if (focused === globalThis.lastFocused) return ""; // a date has parts
    if (focused === document.body || focused.dataset.seen === "reached") return "round";
    globalThis.lastFocused = focused;
    focused.dataset.seen = "reached";
    const style = getComputedStyle(focused);
    const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    return ring || style.boxShadow !== "none" || style.stroke !== "none" ? "" : focused.outerHTML.slice(0, 160);
}"""
"""Marks the focused element as reached; returns it where the focus can't be seen, or that the round is done."""

PAGES = (
    *("/", "/?from=exam1hpv", "/browse", "/browse?protein=no+such+target", "/examples", "/examples/exam1hpv"),
    *("/examples/exambrd4", "/compare", "/compare?a=exam4cup&b=exam1hpv", "/help", "/monitor/exam1hpv"),
    *("/results/exam1hpv", "/monitor/00000000"),
)


@pytest.mark.parametrize("path", PAGES)
def test_tab_key_reaches_every_control_and_shows_where_it_is(pages: Pages, path: str) -> None:
    pages.watch.expect("404")
    page = pages.open(path)
    page.wait_for_load_state("networkidle")
    count = page.evaluate(CONTROLS)
    assert count > 5
    unseen: list[str] = []
    for _ in range(3 * count):
        page.keyboard.press("Tab")
        found = page.evaluate(MARK_FOCUSED)
        if found == "round":
            break
        if found:
            unseen.append(found)
    else:
        pytest.fail("the focus does not come round")
    left = page.locator('[data-seen=""]').evaluate_all("(all) => all.map((one) => one.outerHTML.slice(0, 160))")
    assert not left, f"{len(left)} of {count} are not reached"
    assert not unseen, "the focus can't be seen"


def test_jobs_are_filtered_sorted_and_opened(pages: Pages) -> None:
    page = pages.open("/browse")
    tab_to(page, "#ligand")
    page.keyboard.type("478")
    tab_to(page, "#available", press="ArrowDown")
    expect(page.get_by_role("combobox", name="Results")).to_have_value("true")
    assert page.url.endswith("/browse"), "an arrow key in a list of choices must not leave the page"
    tab_to(page, "form button", press="Enter")
    page.wait_for_url("**/browse?*ligand=478*available=true*")
    tab_to(page, "th a[href*='protein']", press="Enter")
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Target")
    tab_to(page, "td a[href='/open_job/exam1hpv']", press="Enter")
    page.wait_for_url("**/results/exam1hpv*")


def test_api_is_explored(pages: Pages) -> None:
    page = pages.open("/api-docs")
    expect(page.locator(".opblock").first).to_be_visible()
    tab_to(page, ".opblock-summary-control", most=60, press="Enter")
    expect(page.locator(".try-out__btn")).to_be_visible()  # the operation unfolds after a moment
    tab_to(page, ".try-out__btn", press="Enter")
    expect(page.locator(".execute")).to_be_visible()
    tab_to(page, ".execute", press="Enter")
    expect(page.locator(".live-responses-table").first).to_contain_text("healthy")
    picture(page, "api-docs", whole=False)
