"""The application: every page and form at its address, once for the project at hand and once for each other one.

A store is used from one thread, so each request opens the project's memory and closes it again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jinja2
import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from tenure import __version__
from tenure.model.errors import (
    BadRequest,
    Conflict,
    Refused,
    StoreUnusable,
    TenureError,
    UnknownId,
    Untrusted,
)
from tenure.surfaces.web import shown
from tenure.surfaces.web.pages import (
    Act,
    Ask,
    Done,
    Page,
    audit,
    contradictions,
    doctor,
    effect,
    guards,
    health,
    ledger,
    memories,
    memory,
    ours,
    policy,
    queue,
    search,
    sessions,
)
from tenure.surfaces.web.projects import Projects
from tenure.surfaces.web.request_gate import ENTER, SAID, WORD, RequestGuard
from tenure.surfaces.web.visits import Door

HERE = Path(__file__).parent
# One module for each page, in the order of the navigation.
MODULES = (
    queue,
    memories,
    memory,
    search,
    sessions,
    contradictions,
    health,
    effect,
    guards,
    audit,
    ours,
    policy,
    ledger,
    doctor,
)
# Error -> HTTP status; the first that fits.
STATUS: tuple[tuple[type[TenureError], int], ...] = (
    (UnknownId, 404),
    (Untrusted, 403),
    (BadRequest, 400),
    (Refused, 409),
    (Conflict, 409),
    (StoreUnusable, 503),
)


def make(door: Door, projects: Projects, port: int, *, seen: Callable[[], None] = lambda: None) -> RequestGuard:
    """Return the guarded application."""
    return RequestGuard(Site(door, projects).app, door, port, seen=seen)


class Site:
    """The pages of one server."""

    def __init__(self, door: Door, projects: Projects) -> None:
        self.door, self.projects = door, projects
        self.pages: list[Page] = [page for module in MODULES for page in module.PAGES]
        acts: list[Act] = [act for module in MODULES for act in module.ACTS]
        self._templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters.update(shown.FILTERS)
        routes: list[BaseRoute] = [
            Route(ENTER, self._enter, methods=["GET"]),
            Route(WORD, self._word, methods=["POST"]),
        ]
        for prefix in ("", "/p/{project}"):
            for page in self.pages:
                routes.append(Route(f"{prefix}{page.json}", self._data(page), methods=["GET"]))
            for page in self.pages:
                routes.append(Route(f"{prefix}{page.path}" or "/", self._page(page), methods=["GET"]))
            routes += [Route(f"{prefix}{act.path}", self._act(act), methods=["POST"]) for act in acts]
        routes.append(Mount("/static", StaticFiles(directory=HERE / "static")))
        self.app = Starlette(routes=routes, exception_handlers={HTTPException: self._missing, Exception: self._broken})

    # Answers

    def _page(self, page: Page) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            return self._answered(request, page.read, lambda ask, data: self._html(page, ask, data))

        return answer

    def _data(self, page: Page) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            return self._answered(request, page.read, lambda ask, data: _json(data))

        return answer

    def _answered(
        self,
        request: Request,
        read: Callable[[Any, Ask], dict[str, Any]],
        render: Callable[[Ask, dict[str, Any]], Response],
    ) -> Response:
        ask = self._ask(request)
        try:
            with self.projects.open(ask.project, self.door.actor) as workspace:
                data = read(workspace, ask)
                data["notes"] = [*workspace.unusable, *data.get("notes", ())]
                data["damaged"] = workspace.damaged
            return render(ask, data)
        except TenureError as error:
            return self._failed(request, ask, error)

    def _act(self, act: Act) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            ask = self._ask(request)
            back = self._local(ask.form.get("next", [""])[0])
            try:
                with self.projects.open(ask.project, self.door.actor) as workspace:
                    done = act.do(workspace, ask)
            except TenureError as error:
                ask.visit.said.append(("error", f"{error.message} {error.hint}".strip()))
                return RedirectResponse(back, status_code=303)
            self._note(ask, done)
            return RedirectResponse(self._local(done.to) if done.to else back, status_code=303)

        return answer

    @staticmethod
    def _note(ask: Ask, done: Done) -> None:
        if done.entries:
            ask.visit.done.append((ask.project, done.entries, done.said))
        if done.said:
            ask.visit.said.append(("done" if done.entries else "note", done.said))

    def _html(self, page: Page, ask: Ask, data: dict[str, Any], status: int = 200) -> Response:
        said, ask.visit.said[:] = list(ask.visit.said), []
        root = ask.root
        chosen = self.projects.choice(ask.project) if ask.project in {c.key for c in self.projects.choices} else None
        text = self._templates.get_template(page.template).render(
            **data,
            plots=page.pictures(data) if page.pictures else {},
            page=page,
            pages=[each for each in self.pages if each.name],
            base=self.door.base,
            root=root,
            here=f"{root}{page.path}".split("{")[0],
            address=ask.address,
            query=ask.query,
            csrf=ask.visit.csrf,
            said=said,
            can_undo=any(project == ask.project for project, *_ in ask.visit.done),
            read_only=self.door.read_only or not ask.visit.decides,
            asks_word=self.door.asks(ask.visit),
            actor=self.door.actor,
            projects=self.projects.choices,
            project=chosen,
            tenure_version=__version__,
            link=lambda **changes: "?" + urlencode({**ask.query, **changes}),
        )
        return HTMLResponse(text, status_code=status)

    def _failed(self, request: Request, ask: Ask, error: TenureError) -> Response:
        status = next((code for kind, code in STATUS if isinstance(error, kind)), 500)
        if request.url.path.endswith(".json"):
            return _json(error.as_json(), status)
        page = Page("", "", "error.html", lambda workspace, ask: {}, "")
        return self._html(page, ask, {"error": error, "notes": [], "damaged": []}, status)

    def _missing(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        found = BadRequest("There is nothing at this address." if error.status_code == 404 else str(error.detail))
        page = Page("", "", "error.html", lambda workspace, ask: {}, "")
        return self._html(page, self._ask(request), {"error": found, "notes": [], "damaged": []}, error.status_code)

    def _broken(self, request: Request, error: Exception) -> Response:
        """Return a page for a bug of ours; what went wrong may hold words of a memory, so it goes to the log alone."""
        found = TenureError(SAID[500])
        if request.url.path.endswith(".json"):
            return _json(found.as_json(), 500)
        page = Page("", "", "error.html", lambda workspace, ask: {}, "")
        return self._html(page, self._ask(request), {"error": found, "notes": [], "damaged": []}, 500)

    def _ask(self, request: Request) -> Ask:
        path = {name: str(value) for name, value in request.path_params.items()}
        project = path.pop("project", "")
        store = next((choice.url for choice in self.projects.choices if choice.key == project), "")
        return Ask(
            project=project,
            root=f"{self.door.base}/p/{project}" if project else self.door.base,
            path=path,
            query=dict(request.query_params),
            form=request.scope["tenure.form"],
            visit=request.scope["tenure.visit"],
            by=self.door.actor.user or "user",
            store=store,
            address=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        )

    def _word(self, request: Request) -> Response:
        ask = self._ask(request)
        if self.door.prove(ask.visit, ask.form.get("word", [""])[0]):
            ask.visit.said.append(("note", "You may decide now, until you close the browser or stop tenure ui."))
        elif self.door.asks(ask.visit):
            ask.visit.said.append(
                ("error", "That is not the word on the terminal; look below the address that tenure ui printed.")
            )
        else:
            ask.visit.said.append(("error", "That was wrong too often: start tenure ui again."))
        return RedirectResponse(self._local(ask.form.get("next", [""])[0]), status_code=303)

    def _enter(self, request: Request) -> Response:
        key = self.door.enter(request.query_params.get("ticket", ""))
        if key is None:
            text = self._templates.get_template("enter.html").render(base="")
            return HTMLResponse(text, status_code=401)
        # Not a redirect: the cookie would not be sent along where a link on another page led here.
        text = self._templates.get_template("enter.html").render(base=self.door.base)
        return HTMLResponse(text, headers={"set-cookie": self.door.set_cookie(key)})

    def _local(self, address: str) -> str:
        """Return an address of these pages; anything else leads to the first one."""
        clean = self.door.is_below(address) and "\\" not in address and address.isprintable()
        return address if clean else f"{self.door.base}/"


def _json(data: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(data), status_code=status, media_type="application/json")
