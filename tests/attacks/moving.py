"""A web server that moves to another address, and the DNS server that tells nginx about it."""

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME = "web.quintet.test"
_TYPE_A, _CLASS_IN, _ANSWERED = 1, 1, 0x8180
_HEADER_BYTES = 12
# As long as some container runtimes say.
_TTL_SECONDS = 86_400


class NameServer:
    """A DNS server that knows one name; `address` may change."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.resolver = f"127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                query, client = self._socket.recvfrom(512)
                self._socket.sendto(self._answer(query), client)

    def _answer(self, query: bytes) -> bytes:
        name_end = query.index(b"\0", _HEADER_BYTES) + 1
        question = query[_HEADER_BYTES : name_end + 4]
        wanted_type = struct.unpack("!H", query[name_end : name_end + 2])[0]
        record = b""
        if wanted_type == _TYPE_A:
            # The name is that of the question, at byte 12.
            record = struct.pack("!HHHIH", 0xC00C, _TYPE_A, _CLASS_IN, _TTL_SECONDS, 4)
            record += socket.inet_aton(self.address)
        counts = struct.pack("!HHHHH", _ANSWERED, 1, 1 if record else 0, 0, 0)
        return query[:2] + counts + question + record

    def close(self) -> None:
        self._socket.close()


@contextlib.contextmanager
def web_server_at(address: str, port: int) -> Iterator[None]:
    """Answer every request with the server's own address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = address.encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer((address, port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
