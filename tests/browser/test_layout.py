"""What all pages share: layout, themes, policy, assets."""

from __future__ import annotations

import sys

import pytest
from playwright.sync_api import Response

from tests.browser.harness import Pages, has_webgl


def test_theme_follows_the_system_and_the_choice_stays(pages: Pages) -> None:
    page = pages.open("/", color_scheme="dark")
    background = "() => getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(background)
    page.get_by_role("button", name="Dark").click()
    light = page.evaluate(background)
    assert dark != light
    page.goto("/browse")
    assert page.evaluate(background) == light


def test_viewer_runs_under_the_policy(pages: Pages) -> None:
    page = pages.open("/")
    assert has_webgl(page)
    source = page.locator("link[rel=icon]").get_attribute("href")
    assert source is not None
    page.evaluate(
        """async (source) => {
            const script = document.createElement("script");
            script.src = source;
            const loaded = new Promise((resolve) => { script.onload = resolve; });
            document.head.append(script);
            await loaded;
            const place = document.createElement("div");
            place.style.width = place.style.height = "200px";
            place.style.position = "relative";
            document.body.append(place);
            const viewer = $3Dmol.createViewer(place, {});
            viewer.addModel("ATOM      1  CA  ALA A   1       0.0     0.0     0.0", "pdb");
            viewer.setStyle({}, { sphere: {} });
            viewer.addSurface($3Dmol.SurfaceType.SAS, {});
            viewer.render();
        }""",
        source.replace("icon.svg", "vendor/3dmol.js"),
    )
    assert page.locator("canvas").count() == 1


def test_focus_is_seen_and_motion_is_spared(pages: Pages) -> None:
    page = pages.open("/browse")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_page_weights(pages: Pages, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {path: weight(pages, path) for path in ("/", "/browse", "/monitor/exam1hpv", "/examples", "/api-docs")}
    told = ", ".join(f"{path} {size:.0f}" for path, size in sizes.items())
    with capsys.disabled():
        sys.stdout.write(f"\nkB as sent, with everything that the page loads: {told}\n")
    assert max(size for path, size in sizes.items() if path != "/api-docs") < 60


def weight(pages: Pages, path: str) -> float:
    """Return what a page and all that it loads weigh as they are sent, in kB."""
    page = pages.open()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - Playwright marks its handlers
    page.goto(path, wait_until="networkidle")
    sizes = [answer.request.sizes() for answer in answers if answer.status == 200]
    return sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes) / 1000
