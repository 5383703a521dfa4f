"""A server with the parts of S3 that file storage uses: objects, multipart uploads, ranges and deletion."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree as ET

ACCESS_KEY, SECRET_KEY, BUCKET = (
    "access-key-of-tests",
    "secret-of-the-storage",
    "exports",
)


class S3StandIn:
    """Stored objects by key, received requests, and a fixed response status, if set."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.uploads: dict[str, dict[int, bytes]] = {}
        self.asked: list[tuple[str, str]] = []
        self.trouble: int | None = None
        self.address = ""

    @property
    def options(self) -> dict[str, Any]:
        """Options of django-storages for this server."""
        return {
            "bucket_name": BUCKET,
            "endpoint_url": self.address,
            "access_key": ACCESS_KEY,
            "secret_key": SECRET_KEY,
            "region_name": "eu-central-1",
            "addressing_style": "path",
        }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in: S3StandIn

    def log_message(self, *_args: Any) -> None:
        return

    def do_GET(self) -> None:
        self._answer("GET")

    def do_HEAD(self) -> None:
        self._answer("HEAD")

    def do_PUT(self) -> None:
        self._answer("PUT")

    def do_POST(self) -> None:
        self._answer("POST")

    def do_DELETE(self) -> None:
        self._answer("DELETE")

    def _answer(self, method: str) -> None:
        here = self.stand_in
        address = urlsplit(self.path)
        query = parse_qs(address.query, keep_blank_values=True)
        body = self._body()
        bucket, _slash, key = unquote(address.path).removeprefix("/").partition("/")
        here.asked.append((method, key))
        if here.trouble is not None:
            self._refuse(here.trouble, "Trouble")
        elif f"Credential={ACCESS_KEY}/" not in self.headers.get("Authorization", ""):
            # Who signed is looked at, as a storage does; not by what.
            self._refuse(403, "AccessDenied")
        elif bucket != BUCKET:
            self._refuse(404, "NoSuchBucket")
        elif method == "POST":
            self._post(key, query, body)
        elif method == "PUT":
            self._put(key, query, body)
        elif method == "DELETE":
            here.objects.pop(key, None)
            self._say(204)
        elif key not in here.objects:
            self._refuse(404, "NoSuchKey")
        else:
            self._read(here.objects[key])

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            return self._unchunked(b"".join(iter(self._chunk, b"")))
        return self._unchunked(
            self.rfile.read(int(self.headers.get("Content-Length") or 0)),
        )

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline().split(b";")[0], 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data

    def _unchunked(self, body: bytes) -> bytes:
        if "aws-chunked" not in self.headers.get("Content-Encoding", ""):
            return body
        found = b""
        while body:
            size, _line, body = body.partition(b"\r\n")
            length = int(size.split(b";")[0], 16)
            if not length:
                break
            found, body = found + body[:length], body[length + 2 :]
        return found

    def _post(self, key: str, query: dict[str, list[str]], body: bytes) -> None:
        here = self.stand_in
        if "uploads" in query:
            here.uploads[key] = {}
            self._say(
                200,
                f"<InitiateMultipartUploadResult><Bucket>{BUCKET}</Bucket><Key>{key}</Key>"
                "<UploadId>one</UploadId></InitiateMultipartUploadResult>".encode(),
            )
            return
        parts = here.uploads.pop(key)
        numbers = [
            int(each.text or 0)
            for each in ET.fromstring(body).iter()
            if each.tag.endswith("PartNumber")
        ]
        here.objects[key] = b"".join(parts[number] for number in numbers)
        self._say(
            200,
            f"<CompleteMultipartUploadResult><Key>{key}</Key><ETag>one</ETag>"
            "</CompleteMultipartUploadResult>".encode(),
        )

    def _put(self, key: str, query: dict[str, list[str]], body: bytes) -> None:
        if "partNumber" in query:
            self.stand_in.uploads[key][int(query["partNumber"][0])] = body
        else:
            self.stand_in.objects[key] = body
        self._say(200, etag=md5(body, usedforsecurity=False).hexdigest())

    def _read(self, content: bytes) -> None:
        asked = self.headers.get("Range")
        if asked is None:
            self._say(200, content)
            return
        first, _dash, last = asked.removeprefix("bytes=").partition("-")
        stop = int(last) + 1 if last else len(content)
        self._say(
            206,
            content[int(first) : stop],
            whole=f"{first}-{stop - 1}/{len(content)}",
        )

    def _refuse(self, status: int, code: str) -> None:
        self._say(
            status,
            f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode(),
        )

    def _say(
        self,
        status: int,
        content: bytes = b"",
        *,
        etag: str = "",
        whole: str = "",
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Last-Modified", "Tue, 24 Nov 2026 12:00:00 GMT")
        if etag:
            self.send_header("ETag", f'"{etag}"')
        if whole:
            self.send_header("Content-Range", f"bytes {whole}")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


@contextmanager
def s3_stand_in() -> Iterator[S3StandIn]:
    """Yield a server that listens at `address`."""
    stand_in = S3StandIn()
    handler = type("Handler", (_Handler,), {"stand_in": stand_in})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    stand_in.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(
        target=server.serve_forever,
        kwargs={"poll_interval": 0.01},
    )
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
