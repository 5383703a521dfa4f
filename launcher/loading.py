"""Serve a page while Quintet starts, with finished steps and the current one.

The launcher uses the socket that the web server inherits later, so that no connection is refused in between.
"""

from __future__ import annotations

import contextlib
import gettext
import json
import socket
import threading
import time
from collections.abc import Mapping
from html import escape
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypedDict

from launcher.data_directory import CHECKOUT, LauncherError

_LOCALES = CHECKOUT / "locale"
_RETRY_SECONDS = 2
# Maximum request body read before answering; unread data would break the connection.
_BODY_LIMIT_BYTES = 1_000_000


def _(text: str) -> str:
    """Mark a text for translation."""
    return text


_STARTING = _("Quintet is starting")
_FAILED = _("Quintet could not start")
_BY_ITSELF = _("This page opens Quintet when it is ready.")
_WAITING = _(
    "Waiting for the database. Recovery after an unexpected stop can take a few minutes.",
)
_REASON = _("See the terminal for the reason.")

#: Names of the steps of a start, in order.
STEPS: Mapping[str, str] = {
    "services": _("Database"),
    "files": _("Scripts and styles"),
    "tables": _("Database tables"),
    "web": _("Web server"),
}

_PAGE = """<!doctype html>
<html lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{refresh}<title>{title} · Quintet</title>
<style>
:root {{ color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif; }}
body {{ max-width: 26rem; margin: 15vh auto; padding: 0 1.5rem; }}
h1 {{ font-size: 1.5rem; }}
progress {{ width: 100%; height: 1rem; }}
ul {{ list-style: none; padding: 0; }}
li {{ padding-inline-start: 1.75rem; text-indent: -1.75rem; opacity: .75; }}
li::before {{ content: "…"; display: inline-block; width: 1.75rem; text-indent: 0; }}
li.done {{ opacity: 1; }}
li.done::before {{ content: "✓"; }}
</style>
</head>
<body><main>
<h1>{title}</h1>
{progress}
<p role="status">{message}</p>
</main></body>
</html>
"""


class Problem(TypedDict):
    """The body of an error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str


class LoadingPage:
    """Server that answers every request with 503 from `open` to `close`; if the start fails, it briefly shows the error first.

    Attributes:
        waiting: whether to say that the database is not ready yet.
    """

    def __init__(self) -> None:
        self.waiting = False
        self._finished: set[str] = set()
        self._failed = False
        self._last_request = 0.0
        self._listener: socket.socket | None = None
        self._server: _Server | None = None

    def __enter__(self) -> LoadingPage:
        return self

    def __exit__(self, _kind: object, error: object, _trace: object) -> None:
        self._failed = error is not None and self._server is not None
        if self._failed and time.monotonic() - self._last_request < 2 * _RETRY_SECONDS:
            time.sleep(1.5 * _RETRY_SECONDS)  # open pages reload
        self.close()
        if self._listener is not None:
            self._listener.close()

    def open(self, listener: socket.socket) -> None:
        """Answer connections to this socket, which stays open until the context ends."""
        self._listener = listener
        self._server = _Server(listener, self)
        threading.Thread(target=self._server.serve_forever, args=(0.05,)).start()

    def close(self) -> None:
        """Stop answering; the web server takes over."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def listener(self) -> socket.socket:
        """The socket.

        Raises:
            LauncherError: it has not been opened.
        """
        if self._listener is None:
            raise LauncherError("Nothing listens yet.")
        return self._listener

    def finish(self, step: str) -> None:
        """Show a step as finished."""
        self._finished.add(step)

    def html(self, headers: Mapping[str, str]) -> str:
        """Return the page in the language of the browser."""
        self._last_request = time.monotonic()
        language, catalogue = _language(headers)
        message = catalogue.gettext
        title = escape(message(self._title()))
        refresh = ""
        progress = ""
        if not self._failed:
            refresh = f'<meta http-equiv="refresh" content="{_RETRY_SECONDS}">\n'
            bar = f'<progress max="{len(STEPS)}" value="{len(self._finished)}" aria-label="{title}"></progress>'
            steps = ""
            for step, name in STEPS.items():
                state = "done" if step in self._finished else ""
                steps += f'<li class="{state}">{escape(message(name))}</li>\n'
            progress = f"{bar}\n<ul>\n{steps}</ul>"
        direction = "ltr"
        if language == "ar":
            direction = "rtl"
        return _PAGE.format(
            language=language,
            direction=direction,
            title=title,
            refresh=refresh,
            progress=progress,
            message=escape(message(self._status())),
        )

    def _title(self) -> str:
        if self._failed:
            return _FAILED
        return _STARTING

    def _status(self) -> str:
        if self._failed:
            return _REASON
        if self.waiting and "services" not in self._finished:
            return _WAITING
        return _BY_ITSELF

    def problem(self, path: str) -> Problem:
        """Return the same information for programs (RFC 9457)."""
        return {
            "type": "about:blank",
            "title": HTTPStatus.SERVICE_UNAVAILABLE.phrase,
            "status": HTTPStatus.SERVICE_UNAVAILABLE,
            "detail": f"{self._title()}.",
            "instance": path,
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, listener: socket.socket, page: LoadingPage) -> None:
        super().__init__(listener.getsockname(), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener.dup()
        self.page = page

    def handle_error(self, *_arguments: Any) -> None:
        """Ignore clients that disconnected."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 5

    def __getattr__(self, name: str) -> Any:
        """Return the same handler for every HTTP method."""
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def _answer(self) -> None:
        length = self.headers.get("Content-Length", "")
        if length.isdecimal():
            self.rfile.read(min(int(length), _BODY_LIMIT_BYTES))
        path = self.path.partition("?")[0]
        status = HTTPStatus.SERVICE_UNAVAILABLE
        if path.endswith("/healthz"):
            status = HTTPStatus.OK
            self._send(status, "application/json", json.dumps({"status": "ok"}))
        elif path.endswith("/readyz"):
            self._send(status, "application/json", json.dumps({"status": "not ready"}))
        elif "/api/" in path or "json" in self.headers.get("Accept", ""):
            self._send(
                status,
                "application/problem+json",
                json.dumps(self.server.page.problem(path)),
            )
        else:
            self._send(
                status,
                "text/html; charset=utf-8",
                self.server.page.html(dict(self.headers)),
            )

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'",
        )
        if status != HTTPStatus.OK:
            self.send_header("Retry-After", str(_RETRY_SECONDS))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_arguments: Any) -> None:
        """Log nothing, because links are secrets."""


def _language(headers: Mapping[str, str]) -> tuple[str, gettext.NullTranslations]:
    """Return the language chosen earlier, or else the first preference of the browser that is offered."""
    folders = {path.name.partition("_")[0]: path.name for path in _LOCALES.glob("*")}
    tags = []
    with contextlib.suppress(CookieError):
        for name, cookie in SimpleCookie(headers.get("Cookie", "")).items():
            # With the path of Quintet at its end, if it has one.
            if name.startswith("django_language"):
                tags.append(cookie.value)
    for accepted in headers.get("Accept-Language", "").split(","):
        tag, _semicolon, _weight = accepted.partition(";")
        tags.append(tag.strip())
    for tag in tags:
        language, _hyphen, _region = tag.lower().partition("-")
        if language == "en":
            break
        if language in folders:
            folder = folders[language]
            translation = gettext.translation(
                "django",
                _LOCALES,
                [folder],
                fallback=True,
            )
            return folder.replace("_", "-"), translation
    return "en", gettext.NullTranslations()
