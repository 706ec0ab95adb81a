"""Addresses and what answers them. Views know no web framework; here is all of it but for the guard and the server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from hopcost.errors import HopcostError, UsageError, printable
from hopcost.page import assets
from hopcost.page.answers import Data, Page
from hopcost.page.asked import BadAddress, Query, read_query
from hopcost.page.assets import Assets
from hopcost.page.guard import CACHE, Guard
from hopcost.page.kept import Kept
from hopcost.page.templating import make_templates
from hopcost.page.views.compare import show_comparison
from hopcost.page.views.record import save_record, show_record
from hopcost.page.views.records import show_records
from hopcost.page.views.trend import save_trend, show_trend
from hopcost.record.secrets import mask_text
from hopcost.report import Format

View = Callable[[Kept, Query, str], Page | Data]  # the text is the digest in the address's path

FOR_EVER = "public, max-age=31536000, immutable"
NOWHERE = "There is no such page"
BUG = "This is a fault of hopcost: its terminal says more"
HEADINGS = {400: "This address is wrong", 404: "It is not there", 503: "This does not work now"}
VIEWS: dict[str, View] = {
    "/": lambda kept, query, _: show_records(kept, query),
    "/records/{digest}": lambda kept, _, digest: show_record(kept, digest),
    "/records/{digest}/data.csv": lambda kept, _, digest: save_record(kept, digest, Format.CSV),
    "/records/{digest}/data.json": lambda kept, _, digest: save_record(kept, digest, Format.JSON),
    "/compare": lambda kept, query, _: show_comparison(kept, query),
    "/history": lambda kept, query, _: show_trend(kept, query),
    "/history.csv": lambda kept, query, _: save_trend(kept, query),
}


def make_app(kept: Kept) -> ASGIApp:
    """The page over a history, with the guard before it."""
    return Guard(_Site(kept).app)


class _Site:
    """Views with what they read, templates and files."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._assets = Assets()
        self._templates = make_templates(self._assets.address)
        handlers = {HTTPException: self._nowhere, Exception: self._bug}
        self.app = Starlette(routes=list(self._routes()), exception_handlers=handlers)
        self.app.router.redirect_slashes = False

    def _routes(self) -> Iterator[BaseRoute]:
        for path, view in VIEWS.items():
            yield Route(path, self._endpoint(view))
        yield Route(f"{assets.PREFIX}{{name}}", self._asset)

    def _endpoint(self, view: View) -> Callable[[Request], Awaitable[Response]]:
        """Views read a database and files, so they run in threads."""

        def answer(request: Request) -> Response:
            try:
                query = read_query(request.scope["query_string"])
                return self._written(view(self._kept, query, request.path_params.get("digest", "")))
            except HopcostError as error:
                return self._refused(error)

        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(answer, request)

        return endpoint

    def _written(self, answer: Page | Data) -> Response:
        """Half a pair of UTF-16, which a record from anybody may have, becomes a question mark."""
        if isinstance(answer, Page):
            text = self._templates.get_template(answer.template).render(answer.content)
            return HTMLResponse(text.encode("utf-8", "replace"), answer.status)
        disposition = {"Content-Disposition": f'attachment; filename="{answer.file_name}"'}
        return Response(answer.text.encode("utf-8", "replace"), headers=disposition, media_type=answer.media_type)

    def _refused(self, error: HopcostError) -> Response:
        status = 503
        if isinstance(error, UsageError):
            status = 400 if isinstance(error, BadAddress) else 404
        return self._error(HEADINGS[status], status, printable(mask_text(error.message)), error.hint or "")

    def _error(self, heading: str, status: int, message: str = "", hint: str = "") -> Response:
        content = {"heading": heading, "message": message, "hint": printable(mask_text(hint))}
        return self._written(Page("error.html.j2", content, status))

    async def _nowhere(self, _request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException), "it is registered for these"
        return self._error(NOWHERE, error.status_code)

    async def _bug(self, _request: Request, _error: Exception) -> Response:
        """Its traceback goes to the terminal alone."""
        return self._error(BUG, 500)

    async def _asset(self, request: Request) -> Response:
        asset = self._assets.by_name.get(request.path_params["name"])
        if asset is None:
            raise HTTPException(404)
        return Response(asset.content, headers={CACHE: FOR_EVER}, media_type=asset.media_type)
