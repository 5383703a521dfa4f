"""A server that behaves as developers.zenodo.org describes Zenodo: drafts, buckets, and what is refused."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "secret-of-zenodo"


class ZenodoStandIn:
    """What it holds, what it was asked, and the trouble it makes: statuses for the next requests of a method."""

    def __init__(self) -> None:
        self.drafts: dict[int, dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str]] = []
        self.trouble: dict[str, list[int]] = {}
        self.is_silent = False
        self.ended = threading.Event()
        self.address = ""
        self.bucket_address = ""


class _Handler(BaseHTTPRequestHandler):
    stand_in: ZenodoStandIn

    def do_POST(self) -> None:
        self._answer("POST")

    def do_PUT(self) -> None:
        self._answer("PUT")

    def do_DELETE(self) -> None:
        self._answer("DELETE")

    def log_message(self, *_args: Any) -> None:
        return

    def _answer(self, method: str) -> None:
        here = self.stand_in
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        here.asked.append((method, self.path))
        if here.is_silent:
            here.ended.wait(30)
            return
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._say(401, {"status": 401, "message": "The server could not verify you."})
            return
        if here.trouble.get(method):
            status = here.trouble[method].pop(0)
            self._say(status, {"status": status, "message": "trouble"})
            return
        if method == "POST" and self.path == "/api/deposit/depositions":
            self._draft(json.loads(body)["metadata"])
        elif method == "PUT" and self.path.startswith("/api/files/bucket-"):
            here.files[self.path.rpartition("/")[2]] = body
            checksum = md5(body, usedforsecurity=False).hexdigest()
            self._say(201, {"checksum": f"md5:{checksum}", "size": len(body)})
        elif method == "DELETE":
            here.drafts.pop(int(self.path.rpartition("/")[2]))
            self._say(204, None)
        else:
            self._say(404, {"status": 404, "message": "PID does not exist."})

    def _draft(self, metadata: dict[str, Any]) -> None:
        here = self.stand_in
        missing = [name for name in ("title", "creators", "description") if not metadata.get(name)]
        if missing:
            errors = [{"field": f"metadata.{name}", "message": "Missing."} for name in missing]
            self._say(400, {"status": 400, "message": "Validation error.", "errors": errors})
            return
        number = 1000 + len(here.drafts)
        here.drafts[number] = metadata
        base = here.bucket_address or here.address
        links = {
            "bucket": f"{base}/api/files/bucket-{number}",
            "html": f"{here.address}/deposit/{number}",
            "publish": f"{here.address}/api/deposit/depositions/{number}/actions/publish",
        }
        self._say(201, {"id": number, "submitted": False, "state": "unsubmitted", "links": links})

    def _say(self, status: int, answer: dict[str, Any] | None) -> None:
        content = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def zenodo_stand_in() -> Iterator[ZenodoStandIn]:
    """Give a server that answers at `address` until the end."""
    stand_in = ZenodoStandIn()
    handler = type("Handler", (_Handler,), {"stand_in": stand_in})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    stand_in.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stand_in
    finally:
        stand_in.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
