"""Servers whose certificate is of an authority of the operator's own."""

import contextlib
import datetime as dt
import ssl
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPSConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
from allauth.socialaccount.adapter import get_adapter
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.core.mail.backends.smtp import EmailBackend

Status = Callable[[int], int]


def _asked_as_mail_and_webhooks(port: int) -> int:
    """Return the status of a request that verifies with the usual context."""
    context = EmailBackend(use_ssl=True).ssl_context
    connection = HTTPSConnection("127.0.0.1", port, context=context)
    with contextlib.closing(connection):
        connection.request("GET", "/")
        return connection.getresponse().status


def _asked_as_openid_provider(port: int) -> int:
    """Return the status of a request by allauth."""
    with get_adapter().get_requests_session() as session:
        status: int = session.get(f"https://127.0.0.1:{port}/").status_code
    return status


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """A certificate that is its own authority, with its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Own authority")])
    now = dt.datetime.now(dt.UTC)
    address = x509.IPAddress(ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = tmp_path / "own.pem"
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + private)
    return path


@pytest.fixture
def port(authority: Path) -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority)
    with HTTPServer(("127.0.0.1", 0), _Answer) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("status", "variable"),
    [
        (_asked_as_mail_and_webhooks, "SSL_CERT_FILE"),
        (_asked_as_openid_provider, "REQUESTS_CA_BUNDLE"),
    ],
)
def test_authority_of_the_environment_is_trusted(
    status: Status,
    variable: str,
    authority: Path,
    port: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """healthchecks/healthchecks#1033, goauthentik/authentik#18328."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
        status(port)
    monkeypatch.setenv(variable, str(authority))
    assert status(port) == 204
