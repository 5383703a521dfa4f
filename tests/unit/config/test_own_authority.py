"""Servers whose certificate is of an authority of the operator's own."""

import datetime as dt
import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from launcher.data_directory import CHECKOUT

#: Mail and webhooks verify with the usual context, the OpenID provider is asked by allauth.
_MAIL = """
from django.core.mail.backends.smtp import EmailBackend
context = EmailBackend(use_ssl=True).ssl_context
import http.client
connection = http.client.HTTPSConnection("127.0.0.1", {port}, context=context)
connection.request("GET", "/")
print(connection.getresponse().status)
"""
_PROVIDER = """
import django; django.setup()
from allauth.socialaccount.adapter import get_adapter
print(get_adapter().get_requests_session().get("https://127.0.0.1:{port}/").status_code)
"""


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
    ("program", "variable"),
    [(_MAIL, "SSL_CERT_FILE"), (_PROVIDER, "REQUESTS_CA_BUNDLE")],
)
def test_authority_of_the_environment_is_trusted(
    program: str,
    variable: str,
    authority: Path,
    port: int,
) -> None:
    """healthchecks/healthchecks#1033, goauthentik/authentik#18328."""
    environment = {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": "postgres:///q",
        "REDIS_URL": "redis://broker:6379/0",
        "SECRET_KEY": "s",
    }
    printed = []
    for more in ({}, {variable: str(authority)}):
        done = subprocess.run(
            [sys.executable, "-c", program.format(port=port)],
            cwd=CHECKOUT,
            env=environment | more,
            capture_output=True,
            text=True,
            check=False,
        )
        printed.append(done.stdout.strip() or done.stderr)
    refused, accepted = printed
    assert "CERTIFICATE_VERIFY_FAILED" in refused
    assert accepted == "204"
