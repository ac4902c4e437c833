"""Common properties of all pages: layout, themes, policy, assets."""

import pytest
from playwright.sync_api import Response, expect

from tests.browser.harness import Pages, assert_fits, sent_bytes


def test_theme_follows_the_system_the_choice_is_remembered_and_paper_is_light(pages: Pages) -> None:
    page = pages.open("/", color_scheme="dark")
    background = "() => getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(background)
    page.get_by_role("button", name="Dark").click()
    light = page.evaluate(background)
    assert dark != light
    page.goto("/browse")
    assert page.evaluate(background) == light
    page.get_by_role("button", name="Dark").click()
    page.emulate_media(media="print")
    expect(page.locator(".panel").first).to_have_css("background-color", "rgb(255, 255, 255)")


READ = (
    *("/", "/?from=exam1hpv", "/browse", f"/browse?protein={60 * 'target'}", "/browse?find=478", "/examples", "/help"),
    *("/examples/exam1hpv", "/compare?a=exam4cup&b=exam1hpv", "/degraders?a=exam4cup&b=exam1hpv", "/login"),
    *("/api-docs", "/monitor/exam1hpv", "/monitor/00000000", "/results/exam1hpv"),
    "/results/exam1hpv/overlay?stem=1hpv_A_478_200",
)
"""Every kind of page."""

SMALL_TEXTS = """() => {
    const found = new Set();
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const parent = walk.currentNode.parentElement;
        if (!walk.currentNode.data.trim() || parent.closest("svg, script, style, noscript")) continue;
        const size = parseFloat(getComputedStyle(parent).fontSize);
        if (size < 14 && parent.checkVisibility()) found.add(`${size} px: ${parent.outerHTML.slice(0, 120)}`);
    }
    return [...found];
}"""
"""Texts smaller than 14 px; those of drawings grow with them."""


def test_text_can_be_read_and_each_page_has_one_main_action(pages: Pages) -> None:
    pages.watch.expect("404")
    page = pages.open()
    for path in READ:
        page.goto(path)
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(SMALL_TEXTS) == [], path
            assert_fits(page)
        assert page.locator(".primary:visible").count() <= 1, path


SPACED = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }");
    document.adoptedStyleSheets = [sheet];
}"""
"""Sets the spacing of letters and words of WCAG 1.4.12."""


def test_menus_and_controls_of_the_results_stay_inside_the_window(pages: Pages) -> None:
    page = pages.open("/results/exam1hpv")
    page.wait_for_selector("[data-results][data-ready]")
    for width in (360, 768, 1024, 1280, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        for menu in page.locator("details.menu").all():
            menu.locator("summary").click()
            box = menu.locator(".sheet").bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            menu.locator("summary").click()
    page.emulate_media(forced_colors="active")  # no backgrounds are drawn
    for chosen in (".instances tbody tr[aria-current]", ".segments :checked + .segment"):
        expect(page.locator(chosen)).to_have_css("outline-style", "solid")
    page.emulate_media(forced_colors="none")
    page.set_viewport_size({"width": 320, "height": 256})  # 1280 by 1024 at 400 %
    foot, ligand = page.locator(".bar-foot").bounding_box(), page.locator("#instance").bounding_box()
    assert foot is not None
    assert ligand is not None
    assert foot["y"] + foot["height"] <= ligand["y"]
    page.evaluate(SPACED)
    for part in page.locator(".segments, .flat").all():
        assert part.evaluate("(element) => element.scrollWidth <= element.clientWidth")


@pytest.mark.parametrize("path", ["/", "/browse", "/monitor/exam1hpv", "/examples"])
def test_page_is_light_with_everything_that_it_loads(pages: Pages, path: str) -> None:
    page = pages.open()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - Playwright marks its handlers
    page.goto(path, wait_until="networkidle")
    assert sent_bytes(answer.request for answer in answers if answer.status == 200) < 60_000
