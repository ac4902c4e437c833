"""Pages for people: help, the API, and the way from an id to its job."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from service.addresses import address
from service.http.endpoint import PAGE, Routes
from service.pages.places import NOT_SEEN_TOGETHER
from service.pages.render import page
from service.routes.shared import job_of
from tethermap.base.reasons import EVIDENCE_GRADES, EXIT_EVIDENCE
from tethermap.exits.words import CHEMISTRY, FULL_ROOM, OPEN_FROM, PRIOR, ROOM, WAY
from tethermap.fit.limits import limit


async def open_job(request: Request) -> Response:
    """Go to a job's results, or to its progress while it runs."""
    job = job_of(request)
    name = "results" if job.record.final else "monitor"
    return RedirectResponse(address(f"/{name}/{job.record.job_id}"), 302)


async def api_docs_page(request: Request) -> Response:
    """Show the OpenAPI document."""
    return page("api_docs", api=request.app.state.openapi)


async def help_page(_: Request) -> Response:
    """Explain the words of the answers."""
    return page(
        "help",
        chemistry=CHEMISTRY,
        not_seen_together=NOT_SEEN_TOGETHER,
        doubts=EXIT_EVIDENCE,
        grades=EVIDENCE_GRADES,
        words=_words,
        room=ROOM,
        way=WAY,
        prior=PRIOR,
        open_from=f"{100 * OPEN_FROM:.0f} %",
        full_room=f"{100 * FULL_ROOM:.0f} %",
        rscc=limit("rscc_poor"),
        rsr=limit("rsr_poor"),
    )


def _words(scale: Sequence[tuple[float, str]]) -> str:
    """Return a scale as text: ``from 35 % wide open, from 20 % open, …``; the prior's is one of plain numbers."""
    *upper, last = scale
    bounds = [f"{bound:g}" if scale is PRIOR else f"{100 * bound:.0f} %" for bound, _ in upper]
    named = [f"from {bound} {word}" for bound, (_, word) in zip(bounds, upper, strict=True)]
    return ", ".join([*named, f"else {last[1]}"])


_ROUTES = Routes("Pages", "page")

ENDPOINTS = (
    _ROUTES.get("/help", help_page, "What the words of the answers mean.", PAGE),
    _ROUTES.get("/api-docs", api_docs_page, "The API, readable.", PAGE),
    _ROUTES.get("/open_job/{job_id}", open_job, "To results or progress of a job.", {302: ""}),
)
