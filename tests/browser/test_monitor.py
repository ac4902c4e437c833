"""A job is watched: queued, failed, canceled, with and without event stream and scripts."""

import pytest
from playwright.sync_api import expect

from tests.browser.harness import Pages, picture, tab_to
from tests.service.core import REFUSED, LiveService


@pytest.fixture(scope="package")
def failed(service: LiveService) -> str:
    """A job that its source refuses."""
    job_id = service.submit(REFUSED)
    service.ended(job_id)
    return job_id


def test_queued_job_shows_its_position_and_is_canceled_by_the_button(pages: Pages, waiting: str) -> None:
    page = pages.open(f"/monitor/{waiting}")
    expect(page.locator("#sentence")).to_have_text("Next to run.")
    picture(page, "monitor-queued")
    tab_to(page, "#cancel", press="Enter")
    expect(page.locator("#sentence")).to_have_text("Canceled.")
    expect(page).to_have_title("– HIV protease · canceled – Tethermap")
    assert page.get_by_role("button", name="Cancel job").count() == 0
    picture(page, "monitor-canceled")
    page.get_by_role("link", name="Run with changes").click()
    expect(page.locator("#search_query")).to_have_value("1HPV")


def test_final_state_is_fetched_again_after_a_lost_connection(pages: Pages, service: LiveService, waiting: str) -> None:
    pages.watch.expect("ERR_FAILED")
    page = pages.open()
    page.clock.install()
    page.goto(f"/monitor/{waiting}")
    expect(page.locator("#log-mode")).to_contain_text("live")
    page.route(f"**/monitor/{waiting}", lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed", lambda request: request.url.endswith(waiting)):
        service.call("POST", f"/api/jobs/{waiting}/cancel")
    page.clock.run_for(6000)
    expect(page.locator("#sentence")).to_have_text("Canceled.")


def test_failed_job_shows_its_reason(pages: Pages, failed: str) -> None:
    page = pages.open(f"/monitor/{failed}")
    expect(page.locator("#sentence")).to_have_text("Failed while searching.")
    expect(page.get_by_role("alert")).to_contain_text("can't search by sequence")
    expect(page.locator(".steps [data-state=failed]")).to_contain_text("Searching")
    picture(page, "monitor-failed")


def test_page_reloads_without_a_stream_when_the_service_answers(pages: Pages, waiting: str) -> None:
    pages.watch.expect("ERR_FAILED")
    page = pages.open()
    page.clock.install()
    page.route("**/events", lambda route: route.abort())
    page.goto(f"/monitor/{waiting}")
    page.route(f"**/monitor/{waiting}", lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed", lambda request: request.url.endswith(waiting)):
        page.clock.run_for(8000)
    expect(page.locator("#state[data-status=queued]")).to_be_attached()
    with page.expect_navigation():
        page.clock.run_for(8000)
    expect(page.locator("#state[data-status=queued]")).to_be_attached()


def test_log_can_be_paused_and_copied(pages: Pages, waiting: str) -> None:
    page = pages.open(f"/monitor/{waiting}", permissions=["clipboard-read", "clipboard-write"])
    pause = page.locator("#pause")
    tab_to(page, "#pause", press="Space")
    expect(pause).to_have_attribute("aria-pressed", "true")
    pause.click()
    expect(pause).to_have_attribute("aria-pressed", "false")
    page.goto("/monitor/exam1hpv")
    page.get_by_role("button", name="Copy").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).includes('run started')")


RETRY = """document.body.append(Object.assign(document.createElement("form"),
    {method: "post", action: location.pathname + "/retry", id: "again"})); document.getElementById("again").submit()"""


def test_results_follow_after_submission_or_retry_if_the_job_ended_before_its_page_was_shown(pages: Pages) -> None:
    pages.watch.expect("ERR_FAILED")
    page = pages.open("/")
    page.route("**/monitor-ended.js", lambda route: route.abort(), times=1)
    page.evaluate("location.assign('/monitor/exam1hpv')")
    page.wait_for_url("**/monitor/exam1hpv")
    page.reload(wait_until="networkidle")
    assert page.url.endswith("/monitor/exam1hpv")
    page.route("**/retry", lambda route: route.fulfill(status=303, headers={"Location": "/monitor/exam1hpv"}))
    page.evaluate(RETRY)
    page.wait_for_url("**/results/exam1hpv*")
    page.goto("/")
    page.evaluate("location.assign('/monitor/exam1hpv')")
    page.wait_for_url("**/results/exam1hpv*")


def test_missing_job_is_reported(pages: Pages) -> None:
    pages.watch.expect("404")
    page = pages.open("/monitor/00000000")
    expect(page.get_by_role("heading", name="Job not found")).to_be_visible()
    picture(page, "not-found")
