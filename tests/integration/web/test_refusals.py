"""Requests that a scanner sends, to a real web server: each is refused with a 4xx, and no alarm rings."""

import contextlib
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.gunicorn import web_server

pytestmark = pytest.mark.django_db(transaction=True)

TOKEN = "m" * 32
HOST_HEADER = b"Host: 127.0.0.1\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
MULTIPART = b"Content-Type: multipart/form-data; boundary=b\r\n"


# Without it, forms are refused before they are read.
CSRF_TOKEN = b"a" * 32
CSRF = b"Cookie: csrftoken=%b\r\nX-CSRFToken: %b\r\n" % (CSRF_TOKEN, CSRF_TOKEN)


def posted(body: bytes, headers: bytes = FORM) -> bytes:
    """Return a request with this body to a page that reads it."""
    length = b"Content-Length: %d\r\n" % len(body)
    return (
        b"POST /language/ HTTP/1.1\r\n"
        + HOST_HEADER
        + CSRF
        + headers
        + length
        + b"\r\n"
        + body
    )


def asked(
    target: bytes = b"/sign-in/",
    headers: bytes = HOST_HEADER,
    method: bytes = b"GET",
) -> bytes:
    """Return a request without a body."""
    return method + b" " + target + b" HTTP/1.1\r\n" + headers + b"\r\n"


MANY_FIELDS = b"&".join(b"a%d=1" % number for number in range(2000))
MANY_FILES = b"".join(
    b'--b\r\nContent-Disposition: form-data; name="f%d"; filename="f"\r\n\r\nx\r\n'
    % number
    for number in range(200)
)
REQUESTS = {
    "another host": asked(headers=b"Host: evil.example.org\r\n"),
    "another host, of the API": asked(
        b"/api/v1/campaigns/",
        b"Host: evil.example.org\r\n",
    ),
    "another host, of a static file": asked(
        b"/static/x.css",
        b"Host: evil.example.org\r\n",
    ),
    "another host, of no page": asked(b"/wp-login.php", b"Host: evil.example.org\r\n"),
    "a host that is none": asked(headers=b"Host: a b<c>\r\n"),
    "a host with an underscore": asked(headers=b"Host: a_b:x\r\n"),
    "an empty host": asked(headers=b"Host:\r\n"),
    "no host": asked(headers=b""),
    "two hosts": asked(headers=HOST_HEADER + HOST_HEADER),
    "a host that is no UTF-8": asked(headers=b"Host: \xff\xfe\r\n"),
    "a forged path": asked(headers=HOST_HEADER + b"X-Forwarded-Prefix: /forged\r\n"),
    "a forged host": asked(
        headers=HOST_HEADER + b"X-Forwarded-Host: evil.example.org\r\n",
    ),
    "a forged scheme": asked(headers=HOST_HEADER + b"X-Forwarded-Proto: \xff\r\n"),
    "a forged address": asked(
        headers=HOST_HEADER + b"X-Forwarded-For: <script>, \xff\r\n",
    ),
    "a forged script": asked(headers=HOST_HEADER + b"SCRIPT_NAME: /forged\r\n"),
    "a forged path of the script": asked(
        headers=HOST_HEADER + b"PATH_INFO: /forged\r\n",
    ),
    "a NUL in the path": asked(b"/campaigns/a%00b/"),
    "a raw NUL in the path": asked(b"/campaigns/a\x00b/"),
    "a NUL in the query": asked(b"/sign-in/?next=a%00b"),
    "no UTF-8 in the path": asked(b"/campaigns/%ff%fe/"),
    "no UTF-8 in the query": asked(b"/sign-in/?next=%ff%fe"),
    "a raw byte in the path": asked(b"/campaigns/\xff/"),
    "a broken escape": asked(b"/campaigns/%zz%/?%=%"),
    "a path out of the static files": asked(b"/static/../../../etc/passwd"),
    "an escaped path out of the static files": asked(
        b"/static/%2e%2e/%2e%2e/etc/passwd",
    ),
    "an address of 3 kB": asked(b"/sign-in/?next=" + b"a" * 3000),
    "an address of 100 kB": asked(b"/" + b"a" * 100_000),
    "a header of 100 kB": asked(
        headers=HOST_HEADER + b"X-A: " + b"a" * 100_000 + b"\r\n",
    ),
    "a thousand headers": asked(
        headers=HOST_HEADER + b"".join(b"X-%d: a\r\n" % n for n in range(1000)),
    ),
    "a header without a colon": asked(headers=HOST_HEADER + b"nonsense\r\n"),
    "a header with an underscore": asked(
        headers=HOST_HEADER + b"X_Forwarded_For: a\r\n",
    ),
    "cookies that are none": asked(
        headers=HOST_HEADER + b"Cookie: =;;\xff=\xfe; sessionid=\x01\r\n",
    ),
    "a session that is none": asked(
        headers=HOST_HEADER + b"Cookie: sessionid=../../x; csrftoken=x\r\n",
    ),
    "a language that is none": asked(
        headers=HOST_HEADER + b"Accept-Language: \xff,;q=x," * 50 + b"\r\n",
    ),
    "an unknown method": asked(method=b"BREW"),
    "a method that is none": asked(method=b"G\x01T"),
    "CONNECT": asked(b"evil.example.org:443", method=b"CONNECT"),
    "OPTIONS of everything": asked(b"*", method=b"OPTIONS"),
    "TRACE": asked(method=b"TRACE"),
    "an address with a host": asked(b"http://evil.example.org/"),
    "an address with a host, and no path": asked(b"http://evil.example.org"),
    "an address without a slash": asked(b"sign-in/"),
    "two slashes": asked(b"//evil.example.org/%2e%2e"),
    "a fragment": asked(b"/sign-in/#x"),
    "HTTP/9": b"GET / HTTP/9.9\r\n" + HOST_HEADER + b"\r\n",
    "no version": b"GET /\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 60 + b"\r\n\r\n",
    "more fields than allowed": posted(MANY_FIELDS),
    "a form above the limit": posted(b"a=" + b"x" * 4_000_000),
    "a form that is no UTF-8": posted(b"next=\xff\xfe&%ff=%00"),
    "more files than allowed": posted(MANY_FILES + b"--b--\r\n", MULTIPART),
    "a multipart form that breaks off": posted(
        b'--b\r\nContent-Disposition: form-data; name="a',
        MULTIPART,
    ),
    "a multipart form without a boundary": posted(
        b"x",
        b"Content-Type: multipart/form-data\r\n",
    ),
    "a boundary that is none": posted(
        b"x",
        b"Content-Type: multipart/form-data; boundary=\xff\r\n",
    ),
    "base64 that is none": posted(
        b'--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!\r\n--b--\r\n',
        MULTIPART,
    ),
    "a charset that is none": posted(b"a=b", FORM[:-2] + b"; charset=nonsense\r\n"),
    "a Content-Type that is none": posted(b"a=b", b"Content-Type: \xff;;=\r\n"),
    "a Content-Length that is none": asked(
        headers=HOST_HEADER + b"Content-Length: ten\r\n",
        method=b"POST",
    ),
    "a Content-Length below zero": asked(
        headers=HOST_HEADER + b"Content-Length: -1\r\n",
        method=b"POST",
    ),
    "a Content-Length of 99 digits": asked(
        headers=HOST_HEADER + CSRF + FORM + b"Content-Length: " + b"9" * 99 + b"\r\n",
        method=b"POST",
    ),
    "two lengths": asked(
        headers=HOST_HEADER + b"Content-Length: 1\r\nContent-Length: 2\r\n",
        method=b"POST",
    ),
    "a transfer coding that is none": asked(
        headers=HOST_HEADER + b"Transfer-Encoding: nonsense\r\n",
        method=b"POST",
    ),
    "chunks with a length": asked(
        headers=HOST_HEADER + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        method=b"POST",
    ),
    "chunks that are none": asked(
        headers=HOST_HEADER + CSRF + FORM + b"Transfer-Encoding: chunked\r\n",
        method=b"POST",
    )
    + b"zz\r\n",
    "an Expect that is none": asked(headers=HOST_HEADER + b"Expect: nonsense\r\n"),
    "a token that is none": asked(
        b"/api/v1/campaigns/",
        HOST_HEADER + b"Authorization: Token \xff\r\n",
    ),
    "an If-None-Match that is none": asked(
        headers=HOST_HEADER + b"If-None-Match: \xff\r\n",
    ),
    "a Range that is none": asked(
        b"/static/x.css",
        HOST_HEADER + b"Range: bytes=9-1,x\r\n",
    ),
    "JSON that is none": posted(b"\xff{", b"Content-Type: application/json\r\n"),
}


@dataclass(frozen=True)
class Served:
    address: str
    log: Path

    def answer_to(self, request: bytes) -> bytes:
        """Return the beginning of the answer; nothing if the connection is closed without one."""
        host, _, port = self.address.removeprefix("http://").rpartition(":")
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            # The server may answer and close before it has read everything.
            with contextlib.suppress(OSError):
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                return connection.recv(1000)
        return b""

    def metrics(self) -> str:
        asked = Request(
            f"{self.address}/metrics",
            headers={"Authorization": f"Bearer {TOKEN}"},
        )
        with urlopen(asked, timeout=60) as answer:
            return str(answer.read().decode())


@pytest.fixture
def served(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    """Behind a proxy that passes on what clients send, which is the worst case."""
    with web_server(
        tmp_path,
        METRICS_TOKEN=TOKEN,
        PROXIES="1",
        LOG_FORMAT="json",
    ) as address:
        yield Served(address, tmp_path / "web.log")


def is_server_error(answer: bytes) -> bool:
    """Return whether a request failed; 501 is the answer to an unknown transfer coding (RFC 9112, 6.1)."""
    if answer.startswith(b"HTTP/1.1 501 "):
        return False
    return re.match(rb"HTTP/1\.[01] 5", answer) is not None


def test_no_request_is_an_error_of_the_server(served: Served) -> None:
    answers = {name: served.answer_to(request) for name, request in REQUESTS.items()}
    assert {
        name: answer for name, answer in answers.items() if is_server_error(answer)
    } == {}
    assert answers["another host"].startswith(b"HTTP/1.1 400 ")
    assert answers["a forged path"].startswith(b"HTTP/1.1 400 ")
    log = served.log.read_text(errors="replace")
    assert "Invalid HTTP_HOST header" in log
    assert re.findall(r'^.*"level": "(?:error|critical)".*$', log, re.MULTILINE) == []
    assert "Traceback" not in log
    metrics = served.metrics()
    assert "quintet_requests_total{" in metrics
    assert re.findall(r'quintet_requests_total\{.*status="5.*', metrics) == []
    assert re.findall(r"quintet_web_errors_logged_total [1-9].*", metrics) == []
