"""Assets of pages: styles, scripts, icons."""

from starlette.requests import Request
from starlette.responses import Response

from service.errors import FileNotFound
from service.http.compression import takes_gzip
from service.http.endpoint import Routes
from service.http.responses import matches
from service.pages.assets import MEDIA_TYPES
from service.pages.render import ASSETS

_FOR_EVER = "public, max-age=31536000, immutable"


ROUTES = Routes("Pages")


@ROUTES.get("/static/{version}/{path:path}", tuple(MEDIA_TYPES.values()), errors=("FILE_NOT_FOUND",), public=True)
async def static_file(request: Request) -> Response:
    """Assets of the pages: styles, scripts, icons."""
    asset = ASSETS.get(str(request.path_params["path"]))
    if asset is None:
        raise FileNotFound("There is no such file.")
    current = request.path_params["version"] == ASSETS.version
    headers = {"Cache-Control": _FOR_EVER if current else "no-cache", "Content-Type": asset.media_type}
    headers |= {"Cross-Origin-Resource-Policy": "same-origin", "ETag": asset.tag, "Vary": "Accept-Encoding"}
    if matches(request.headers.get("if-none-match"), asset.tag):
        return Response(status_code=304, headers=headers)
    if takes_gzip(request.headers.get("accept-encoding", "")):
        headers |= {"Content-Encoding": "gzip", "ETag": f"W/{asset.tag}"}
        return Response(asset.zipped, headers=headers)
    return Response(asset.body, headers=headers)
