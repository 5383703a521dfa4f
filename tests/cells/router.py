"""A small router before several cells, which goes by the map as nginx's configuration of `deploy.cells` does."""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from cells.cell_map import CellMap
from config.cells import session_cookie_name

HOST = "127.0.0.1"
SECONDS = 30

_SLUG = re.compile(r"/(?:campaigns|judge|api/v1/campaigns)/([-\w]+)/")
_TASK = re.compile(r"/api/v1/(?:tasks|test-sets)/(\d+)/")
_ASKED_IN_TURN = re.compile(r"/(?:i|panel|static)/")
_BETWEEN_TWO = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})


def cells_to_ask(cells: CellMap, target: str, *, cookie: str, campaign: str) -> list[int]:
    """Return the cells to ask in turn: the next where one says 404."""
    path, query = urlsplit(target)[2:4]
    if _ASKED_IN_TURN.match(path):
        return list(cells.addresses)
    if path == "/sign-in/":
        slug = _SLUG.match(parse_qs(query).get("next", [""])[0])
    else:
        slug = _SLUG.match(path)
    name = slug[1] if slug else campaign if path.startswith("/api/v1/judging/") else ""
    if name:
        return [cells.campaigns.get(name, cells.first)]
    if task := _TASK.match(path):
        row = int(task[1])
        return [cells.tasks.get(row, row // 10**12)]
    names = {pair.partition("=")[0].strip() for pair in cookie.split(";")}
    return [cell for cell in cells.addresses if session_cookie_name(cell) in names][:1] or [
        cells.first
    ]


class _Router(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _pass_on(self) -> None:
        cells = CellMap.read(self.server.cell_map)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = cells_to_ask(
            cells,
            self.path,
            cookie=self.headers.get("Cookie", ""),
            campaign=self.headers.get("Quintet-Campaign", ""),
        )
        for cell in asked:
            connection = http.client.HTTPConnection(cells.addresses[cell], timeout=SECONDS)
            try:
                connection.request(self.command, self.path, body or None, dict(self.headers))
                response = connection.getresponse()
                data = response.read()
            except (OSError, http.client.HTTPException):
                self.send_error(502)
                return
            finally:
                connection.close()
            if response.status != 404:
                break
        self.send_response_only(response.status)
        for name, value in response.getheaders():
            if name.lower() not in _BETWEEN_TWO:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = _pass_on  # noqa: N815  names of the standard library

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, cell_map: Path) -> None:
        super().__init__((HOST, 0), _Router)
        self.cell_map = cell_map


@contextmanager
def router(cell_map: Path) -> Iterator[int]:
    """Run a router over a map, which it reads for each request; yield its port."""
    with _Server(cell_map) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield int(server.server_address[1])
        server.shutdown()
