"""A tour of the pages, with nginx and TLS in front, below a path, with a token."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import harness
from tests.browser.harness import Pages, assert_accessible
from tests.service.proxy import Proxied

BASE = "/tethermap"


@pytest.fixture
def behind(proxied: Proxied, browser: Browser) -> Iterator[Pages]:
    """Opens watched pages of it."""
    expect.set_options(timeout=harness.wait_ms())
    with harness.watched(browser, proxied.address.removesuffix(f"{BASE}/")) as opened:
        yield opened


def test_tour_behind_a_proxy_with_tls_and_a_token(behind: Pages, mixed: Path) -> None:
    behind.watch.expect("401")
    page = behind.open(f"{BASE}/results/{mixed.name}", ignore_https_errors=True, accept_downloads=True)
    assert_accessible(page)
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Token").fill("ann-secret")
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"**{BASE}/results/{mixed.name}")
    assert page.evaluate("document.cookie") == ""
    expect(page.locator(".instances tbody tr:visible")).to_have_count(3)
    page.get_by_role("link", name="ZYB in 4cup").click()
    expect(page.locator("[data-instance]")).to_have_attribute("data-stem", "4cup_A_ZYB_2971")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all").click()
    assert download.value.suggested_filename == f"{mixed.name}_results.zip"

    page.get_by_role("link", name="Submit", exact=True).click()
    page.locator("[name=target_name]").fill("1HPV")
    expect(page.locator("#preview-panel h2")).to_contain_text("1 entry")
    page.locator("#send").click()
    page.wait_for_url(f"**{BASE}/results/*")

    page.get_by_role("link", name="Jobs", exact=True).click()
    page.get_by_role("textbox", name="Ligand", exact=True).fill("478")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url(f"**{BASE}/browse?*ligand=478*")
    expect(page.locator("tbody tr").first).to_be_visible()
    page.get_by_role("link", name="Examples", exact=True).first.click()
    expect(page.locator(".plate img").first).to_have_js_property("complete", value=True)
    page.get_by_role("link", name="Compare", exact=True).click()
    page.get_by_role("link", name="API", exact=True).click()
    expect(page.locator(".swagger-ui .opblock").first).to_be_visible()
    page.goto(f"{BASE}/login")
    page.get_by_role("button", name="Log out").click()
    page.goto(f"{BASE}/browse")
    expect(page.get_by_label("Token")).to_be_visible()
    outside = [asked for asked in behind.watch.requests if not asked.split()[1].startswith(f"{BASE}/")]
    assert outside == []
