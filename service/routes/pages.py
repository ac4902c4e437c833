"""Pages for people: help, the API, and the way from an id to its job."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from service.addresses import address
from service.http.endpoint import PAGE, Routes
from service.pages.help import help_values
from service.pages.render import page
from service.routes.shared import job_of

ROUTES = Routes("Pages")


@ROUTES.get("/open_job/{job_id}", {302: ""})
async def open_job(request: Request) -> Response:
    """Redirect to the results or the progress of a job."""
    job = job_of(request)
    name = "results" if job.record.final else "monitor"
    return RedirectResponse(address(f"/{name}/{job.record.job_id}"), 302)


@ROUTES.get("/api-docs", PAGE)
async def api_docs_page(request: Request) -> Response:
    """Page with the API."""
    return page("api_docs", api=request.app.state.openapi)


@ROUTES.get("/help", PAGE)
async def help_page(_: Request) -> Response:
    """Glossary and explanation of the answers."""
    return page("help", **help_values())
