"""The page with the token form, which sets a cookie."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from service.addresses import address
from service.http.endpoint import PAGE, Routes
from service.http.parameters import Parameter
from service.pages.render import page
from service.routes.shared import form_values, shared_of


def asked(
    request: Request, status: int = 200, *, wrong: bool = False, after: str = "", logged_in: bool = False
) -> Response:
    """Return the token form; if it replaces another page, it leads there."""
    if not after and request.method == "GET":
        query = request.url.query
        after = quote(request.scope["path"]) + (f"?{query}" if query else "")
    return page("login", status, after=_own(after), wrong=wrong, logged_in=logged_in)


ROUTES = Routes("Pages")
_LONGEST = 2000


@ROUTES.get("/login", PAGE, (Parameter("next", "Page to show after the login."),), public=True)
async def login_page(request: Request) -> Response:
    """Form for the token."""
    logged_in = shared_of(request).access.token_of(request) is not None
    return asked(request, after=request.query_params.get("next", "/"), logged_in=logged_in)


@ROUTES.post("/login", {303: "", 401: PAGE}, body="Form", public=True)
async def login_form(request: Request) -> Response:
    """Log in with a token."""
    values = {name: several[-1] for name, several in (await form_values(request)).items()}
    shared = shared_of(request)
    settings = shared.parts.settings
    response = RedirectResponse(address(_own(values.get("next", "/"))), 303)
    if not settings.api_tokens:
        return response
    token = shared.access.log_in(request, values.get("token", "").strip())
    if token is None:
        return asked(request, 401, wrong=True, after=values.get("next", "/"))
    secure = request.url.scheme == "https" or settings.base_url_primary.startswith("https://")
    await shared.access.begin_session(response, token, secure=secure)
    return response


@ROUTES.post("/logout", {303: ""}, public=True)
async def logout_form(request: Request) -> Response:
    """Log out."""
    response = RedirectResponse(address("/login"), 303)
    await shared_of(request).access.end_session(request, response)
    return response


def _own(target: str) -> str:
    """Return an address for a redirect; one that could lead to another site is replaced by the first page's."""
    plain = target.isprintable() and "\\" not in target and len(target) <= _LONGEST
    return target if plain and target.startswith("/") and not target.startswith("//") else "/"
