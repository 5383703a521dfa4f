"""nginx with the configuration that is shipped, on ports of its own and with a certificate of its own."""

from __future__ import annotations

import contextlib
import datetime as dt
import http.client
import re
import shutil
import socket
import ssl
import subprocess
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from types import TracebackType

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from deploy.nginx import Options, rendered
from launcher.data_directory import wait_until

HOST = "127.0.0.1"
#: A name and not an address, with which clients send no name in their TLS handshake.
NAME = "localhost"
TOKEN = "a" * 64


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Message
    text: str


class Proxy:
    """nginx in the foreground, stopped on leaving."""

    name = NAME

    def __init__(
        self,
        folder: Path,
        *,
        upstreams: tuple[str, ...],
        prefix: str = "",
        resolver: str = "",
    ) -> None:
        self.folder, self.prefix = folder, prefix
        self.http_port, self.https_port = free_port(), free_port()
        _certificate_make(folder)
        options = Options(
            server_name=self.name,
            certificate=str(folder / "cert.pem"),
            certificate_key=str(folder / "key.pem"),
            url_prefix=prefix,
            upstreams=upstreams,
            resolver=resolver,
            http_port=f"{HOST}:{self.http_port}",
            https_port=f"{HOST}:{self.https_port}",
            log=str(folder / "access.log"),
        )
        (folder / "quintet.conf").write_text(rendered(options))
        self._main_write()

    @property
    def origin(self) -> str:
        return f"https://{self.name}:{self.https_port}"

    def _main_write(self) -> None:
        temporary = "".join(
            f"{kind}_temp_path {self.folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (self.folder / "nginx.conf").write_text(
            f"daemon off; pid {self.folder}/pid; error_log {self.folder}/error.log info;"
            f"events {{ worker_connections 512; }} http {{ {temporary} include {self.folder}/quintet.conf; }}",
        )

    def __enter__(self) -> Proxy:
        command = [
            "nginx",
            "-p",
            str(self.folder),
            "-c",
            str(self.folder / "nginx.conf"),
        ]
        subprocess.run([*command, "-t"], check=True, capture_output=True)
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        if not wait_until(self._answers, seconds=20):
            raise SystemExit("nginx did not start.")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)

    def _answers(self) -> bool:
        try:
            return self.ask("GET", "/", secure=False).status == 308
        except OSError:
            return False

    def ask(
        self,
        method: str,
        path: str,
        body: str | None = None,
        *,
        secure: bool = True,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Return the answer to one request on a connection of its own."""
        connection = (
            http.client.HTTPSConnection(
                self.name,
                self.https_port,
                timeout=30,
                context=self._trust(),
            )
            if secure
            else http.client.HTTPConnection(self.name, self.http_port, timeout=30)
        )
        try:
            with contextlib.suppress(
                BrokenPipeError,
            ):  # answered before all of it was sent
                connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read().decode())
        finally:
            connection.close()

    @contextlib.contextmanager
    def reading(
        self,
        path: str,
        headers: dict[str, str],
    ) -> Iterator[http.client.HTTPResponse]:
        """Yield an answer that is still to be read."""
        connection = http.client.HTTPSConnection(
            self.name,
            self.https_port,
            timeout=60,
            context=self._trust(),
        )
        try:
            connection.request("GET", path, headers=headers)
            yield connection.getresponse()
        finally:
            connection.close()

    def disk_gone(self) -> None:
        """Leave nginx no place for answers that it would keep on its disk."""
        shutil.rmtree(self.folder / "proxy")
        (self.folder / "proxy").write_bytes(b"")

    def sign_in(self, password: str, address: str = "203.0.113.9") -> Answer:
        from django.conf import settings

        form = {
            "login": "organiser@example.org",
            "password": password,
            "csrfmiddlewaretoken": TOKEN,
        }
        return self.ask(
            "POST",
            f"{self.prefix}/sign-in/",
            urllib.parse.urlencode(form),
            headers={
                "Content-Type": "application/x-www-form-urlencoded",
                "Cookie": f"{settings.CSRF_COOKIE_NAME}={TOKEN}",
                "Origin": self.origin,
                "X-Forwarded-For": address,
            },
        )

    def half_sent(self, path: str) -> ssl.SSLSocket:
        """Return a connection on which half a request was sent."""
        connection = self._connect(self.name)
        head = f"POST {path} HTTP/1.1\r\nHost: {self.name}\r\nContent-Length: 100\r\n\r\nhalf"
        connection.sendall(head.encode())
        return connection

    def _connect(self, server_name: str) -> ssl.SSLSocket:
        """Return a connection whose handshake names this server; the certificate must be ours."""
        context = self._trust()
        context.check_hostname = server_name == self.name
        plain = socket.create_connection((HOST, self.https_port), timeout=30)
        return context.wrap_socket(plain, server_hostname=server_name)

    def is_closed_to(self, host: str, *, server_name: str | None = None) -> bool:
        """Return whether a request over HTTPS with this name is closed without an answer."""
        try:
            with self._connect(server_name or host) as connection:
                return _is_unanswered(connection, host)
        except ssl.SSLError:
            return True

    def is_closed_over_http_to(self, host: str) -> bool:
        """Return whether a request over HTTP with this name is closed without an answer."""
        with socket.create_connection((HOST, self.http_port), timeout=30) as connection:
            return _is_unanswered(connection, host)

    def upstream_gone(self) -> None:
        """Let nginx look for Quintet where nobody listens."""
        configuration = self.folder / "quintet.conf"
        before = configuration.read_text()
        start = before.index("server 127.0.0.1:")
        end = before.index(";", start)
        configuration.write_text(
            f"{before[:start]}server {HOST}:{free_port()}{before[end:]}",
        )
        self.__exit__(None, None, None)
        self.__enter__()

    def written(self) -> str:
        """Return all that nginx wrote to its logs."""
        return "".join(
            (self.folder / name).read_text() for name in ("access.log", "error.log")
        )

    def _trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.folder / "cert.pem"))


def nginx_version() -> tuple[int, ...]:
    """Return the version of the nginx that is installed."""
    printed = subprocess.run(
        ["nginx", "-v"],
        check=True,
        capture_output=True,
        text=True,
    ).stderr
    version = re.search(r"nginx/([0-9.]+)", printed)
    assert version is not None
    return tuple(int(part) for part in version[1].split("."))


def _is_unanswered(connection: socket.socket, host: str) -> bool:
    connection.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    return connection.recv(1) == b""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _certificate_make(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(NAME)]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM),
    )
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )
