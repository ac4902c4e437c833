"""Parts shared by browser tests: a monitored browser, accessibility checks, pictures."""

import contextlib
import io
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Request, ViewportSize

from tests.tools.patience import patience
from tests.tools.runs import ROOT

AXE = ROOT / "service/pages/assets/node_modules/axe-core/axe.min.js"
README_PICTURES = ROOT / "service/pages/screenshots" if os.environ.get("TETHERMAP_README_PICTURES") else None
SCREENSHOTS = Path(folder) if (folder := os.environ.get("TETHERMAP_SCREENSHOTS")) else None
"""Folder of pictures, those of README.md and those of all pages; none by default."""

WIDE: ViewportSize = {"width": 1440, "height": 900}
NARROW: ViewportSize = {"width": 360, "height": 740}

_POINTER = "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"
"""Playwright's default pointer switch, which is overridden by a later one."""

_SWITCHES = (
    *("--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"),
    *("--disable-component-update", "--disable-dev-shm-usage"),
    *("--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),  # WebGL without a graphics card
    # With the network cut the browser takes any connection for a slow one and would load more pictures ahead (the shell
    # knows no --force-effective-connection-type).
    f"--blink-settings={_POINTER},lazyLoadingImageMarginPxUnknown=1250,lazyLoadingImageMarginPxOffline=1250",
)
_TELL_VIOLATIONS = """document.addEventListener("securitypolicyviolation", (event) =>
    console.error(`CSP ${event.effectiveDirective} blocks ${event.blockedURI} ${event.sample}`))"""

_HALF_PIXELS = {"device_scale_factor": 0.5}
"""A quarter of the pixels to draw, which saves most time for 3D without a graphics card; the layout is unchanged."""

AS_WITH_GRAPHICS_CARD = """for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
    const ask = prototype.getExtension;
    prototype.getExtension = function (name) { return /debug_renderer/i.test(name) ? null : ask.call(this, name); };
}"""
"""Keeps from a page that it is drawn without a graphics card, so that it smooths its edges."""


def find_chromium() -> str | None:
    """Return the Chromium to test with: TETHERMAP_TEST_CHROMIUM, or one that is installed.

    The shell is the same engine without the windows around it; the pages' tests take two thirds of the CPU time in it.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return os.environ.get("TETHERMAP_TEST_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def wait_ms() -> float:
    """Return the timeout for an action of a second or two on a quiet machine: 3D is drawn without a graphics card."""
    return 1000 * patience(30)


def launch(playwright: Playwright, *switches: str) -> Browser:
    """Start the browser, with additional Chromium switches."""
    return playwright.chromium.launch(executable_path=find_chromium(), args=[*_SWITCHES, *switches])


@dataclass
class Watch:
    """Requests and complaints of the pages of one test.

    Parameters
    ----------
    host : str
        The one host that they may ask, with port.
    """

    host: str
    hosts: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    _expected: list[re.Pattern[str]] = field(default_factory=list)

    def expect(self, pattern: str) -> None:
        """Expect an error whose text has this pattern; it does not fail the test."""
        self._expected.append(re.compile(pattern))

    def attach(self, page: Page) -> None:
        """Watch a page."""
        page.on("request", self._requested)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.errors.append(f"{error.name}: {error.message}"))

    def check(self) -> None:
        """Fail if another host got a request, or an unexpected error was reported."""
        assert self.hosts <= {self.host}, f"requests to other hosts: {sorted(self.hosts - {self.host})}"
        left = [text for text in self.errors if not any(pattern.search(text) for pattern in self._expected)]
        assert not left, "\n".join(["the browser's console has errors:", *left])

    def _requested(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob"):
            self.hosts.add(parts.netloc)
            self.requests.append(f"{request.method} {parts.path}")

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "GL Driver Message" not in message.text:
            self.errors.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")


class Pages:
    """Opens watched pages of one service.

    Parameters
    ----------
    browser : Browser
        The browser.
    address : str
        ``http://127.0.0.1:<port>``.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        self.address = address
        self.watch = Watch(urlsplit(address).netloc)
        self._contexts = contextlib.ExitStack()

    def open(self, path: str = "", **options: Any) -> Page:
        """Return a page in a separate context, at an optional address.

        Parameters
        ----------
        path : str
            Address on the service.
        **options
            As for Playwright's ``new_context``: ``viewport``, ``color_scheme``, ``java_script_enabled`` and so on.
        """
        values = {"viewport": WIDE, "base_url": self.address, "reduced_motion": "reduce", **options}
        if not (README_PICTURES or SCREENSHOTS):
            values = {**_HALF_PIXELS, **values}
        context = self.browser.new_context(**values)
        self._contexts.callback(context.close)
        context.set_default_timeout(wait_ms())
        context.add_init_script(_TELL_VIOLATIONS)
        if README_PICTURES or SCREENSHOTS:
            context.add_init_script(AS_WITH_GRAPHICS_CARD)
        page = context.new_page()
        self.watch.attach(page)
        if path:
            page.goto(path)
        return page

    def close(self) -> None:
        """Close all pages."""
        self._contexts.close()


@contextlib.contextmanager
def watched(browser: Browser, address: str) -> Iterator[Pages]:
    """Provide pages for a test and check their requests and complaints at its end."""
    pages = Pages(browser, address)
    try:
        yield pages
    finally:
        pages.close()
    pages.watch.check()


def problems(page: Page, *, within: str = "") -> list[str]:
    """Return the serious and critical problems that axe finds on a page, or in the part that a selector names."""
    if not page.evaluate("() => typeof globalThis.axe === 'object'"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"preload": False, "resultTypes": ["violations"]}
    found = page.evaluate("([where, options]) => axe.run(where || document, options)", [within, options])
    return [
        json.dumps([problem["help"], *(node["failureSummary"] + node["html"][:200] for node in problem["nodes"][:3])])
        for problem in found["violations"]
        if problem["impact"] in ("serious", "critical")
    ]


_TWO_FRAMES = """() => matchMedia("(scripting: none)").matches || new Promise((shown) => {
    requestAnimationFrame(() => requestAnimationFrame(() => shown(true)));
    setTimeout(() => shown(false), 2000);
})"""
"""Ends with the second frame from now, or at once if nothing is called, since a page has no scripts."""


def show_in(page: Page, scheme: Literal["dark", "light"]) -> None:
    """Show a page in a theme, ``light`` or ``dark``; wait for scripts that are notified in the next frame."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate(_TWO_FRAMES)


def assert_accessible(page: Page, *, within: str = "") -> None:
    """Fail when axe finds a serious or critical problem, in the light or the dark theme."""
    for scheme in ("light", "dark"):
        show_in(page, scheme)
        found = problems(page, within=within)
        assert not found, "\n".join([f"{page.url} ({scheme}):", *found])
    show_in(page, "light")


def assert_fits(page: Page) -> None:
    """Fail when a page is wider than the window, so that it must be scrolled sideways."""
    wide, window = page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= window, f"{page.url} is {wide} px wide in a window of {window} px"


def picture(page: Page, name: str, *, themes: bool = True, whole: bool = True) -> None:
    """Check that a page is accessible and fits at 1440 and 360 px; save pictures of both, light and dark, on request.

    Parameters
    ----------
    page : Page
        The page, at any width; it is left at 1440 px in light.
    name : str
        Beginning of the files' names.
    themes : bool
        Whether dark ones are taken too.
    whole : bool
        Whether the picture shows the complete page, or its first screen.
    """
    if not page.evaluate("() => matchMedia('(scripting: none)').matches"):  # axe is a script
        assert_accessible(page)
    for scheme in ("dark", "light") if themes and SCREENSHOTS else ("light",):
        show_in(page, scheme)
        for size in (NARROW, WIDE):
            page.set_viewport_size(size)
            page.wait_for_timeout(60)
            assert_fits(page)
            if SCREENSHOTS:
                SCREENSHOTS.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=SCREENSHOTS / f"{name}-{size['width']}-{scheme}.png", full_page=whole)


def readme_picture(page: Page, name: str) -> None:
    """Save the picture of a page for README.md, light, 1280 by 800, on request.

    ``TETHERMAP_README_PICTURES=1`` renews ``service/pages/screenshots/<name>.png``.
    """
    folder = README_PICTURES or SCREENSHOTS
    if folder is None:
        return
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_timeout(100)
    folder.mkdir(parents=True, exist_ok=True)
    taken = Image.open(io.BytesIO(page.screenshot()))
    # Half the size; this way of choosing 256 colours keeps the rare ones, those of the exposure ramp.
    small = taken.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    small.save(folder / f"{name}.png", optimize=True)
    page.set_viewport_size(WIDE)


def sent_bytes(requests: Iterable[Request]) -> int:
    """Return the transfer size of the responses to requests, in bytes."""
    sizes = [request.sizes() for request in requests]
    return sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)


def tab_to(page: Page, selector: str, *, most: int = 40, press: str = "") -> None:
    """Move the focus to an element with the Tab key, and press a key there."""
    for _ in range(most):
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            if press:
                page.keyboard.press(press)
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not reach {selector}")
