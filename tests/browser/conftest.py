"""A running service and a real browser for tests of the pages; its jobs are those of the stand-in pipeline.

Playwright's loop runs until the browser is closed, so both end with the last test of this package.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.browser import harness
from tests.service.core import HPV, LiveService, waiting_job
from tests.service.proxy import proxied

__all__ = ["proxied"]


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory, mixed: Path) -> Iterator[LiveService]:
    """A service over the embedded archive, with separate folders and a finished job of three ligands."""
    folder = tmp_path_factory.mktemp("browser")
    shutil.copytree(mixed, folder / "jobs" / mixed.name)
    with LiveService(folder, quick=True, MAX_RUNNING_JOBS="2") as live:
        yield live


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """Playwright, where a browser is found."""
    if harness.find_chromium() is None:
        pytest.skip("NO BROWSER: pages are not tested; install chromium-headless-shell or set TETHERMAP_TEST_CHROMIUM")
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The browser."""
    running = harness.launch(playwright)
    yield running
    running.close()


@pytest.fixture
def pages(service: LiveService, browser: Browser) -> Iterator[harness.Pages]:
    """Opens pages; the test fails if a page contacts another host, violates the policy or reports an error."""
    expect.set_options(timeout=harness.wait_ms())
    with harness.watched(browser, service.address) as opened:
        yield opened


@pytest.fixture
def waiting(service: LiveService) -> Iterator[str]:
    """A job that waits."""
    with waiting_job(service, HPV) as job_id:
        yield job_id
