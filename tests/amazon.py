"""Amazon SNS as far as we meet it: it signs with an RSA key and has the certificate on a server.

The key, the certificates and the HTTPS server are real; only their names are not Amazon's.
"""

import contextlib
import ssl
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any
from uuid import uuid4

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

TOPIC = "arn:aws:sns:us-east-1:123456789012:quintet"
SUBSCRIBE = "https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=x&Token=abc"
SIGNER = "sns.amazonaws.com"


@cache
def make_key(name: str) -> rsa.RSAPrivateKey:
    """One for each name: to find the primes takes a while."""
    return rsa.generate_private_key(
        public_exponent=65537, key_size=2048 if name != "short" else 1024
    )


def make_certificate(
    key: rsa.RSAPrivateKey, name: str, *, ended_ago: float = -3600.0, in_subject: bool = False
) -> x509.Certificate:
    """Signed by itself, for this name, until so many seconds ago."""
    ends = datetime.now(tz=UTC) - timedelta(seconds=ended_ago)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name if in_subject else "x")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(ends - timedelta(days=30))
        .not_valid_after(ends)
    )
    if not in_subject:
        names = x509.SubjectAlternativeName([x509.DNSName(name)])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(key, hashes.SHA256())


@dataclass
class Amazon:
    """Signs messages, and answers for certificates; `asked` are the paths it was asked for."""

    url: str
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    redirects: dict[str, str] = field(default_factory=dict)
    dripping: set[str] = field(default_factory=set)
    stopped: Event = field(default_factory=Event)

    @cached_property
    def certificate_url(self) -> str:
        """Where the certificate of its key is."""
        return self.publishes(make_certificate(make_key("amazon"), SIGNER))

    def publishes(self, certificate: x509.Certificate | bytes) -> str:
        """The address of a certificate, one that nobody has asked for yet."""
        path = f"/SimpleNotificationService-{uuid4().hex}.pem"
        if isinstance(certificate, x509.Certificate):
            certificate = certificate.public_bytes(Encoding.PEM)
        self.files[path] = certificate
        return self.url + path

    def message(
        self,
        kind: str,
        *,
        key: str = "amazon",
        certificate_url: str | None = None,
        version: str = "1",
        ago: float = 0,
        **fields: str,
    ) -> dict[str, Any]:
        """A message as SNS documents it, signed."""
        at = datetime.now(tz=UTC) - timedelta(seconds=ago)
        body: dict[str, Any] = {
            "Type": kind,
            "MessageId": str(uuid4()),
            "TopicArn": TOPIC,
            "Message": "You have chosen to subscribe to the topic.",
            "Timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.") + "123Z",
            "SignatureVersion": version,
            "SigningCertURL": certificate_url or self.certificate_url,
        }
        if kind != "Notification":
            body |= {"Token": "abc", "SubscribeURL": SUBSCRIBE}
        body |= fields
        return body | {"Signature": sign(body, make_key(key))}


def sign(body: dict[str, Any], key: rsa.RSAPrivateKey) -> str:
    """As the table in SNS's documentation says; written apart from what is tested."""
    of_a_topic = "SubscribeURL Token"
    names = "Message MessageId Timestamp TopicArn Type " + (
        of_a_topic if body["Type"] != "Notification" else "Subject" if "Subject" in body else ""
    )
    text = "".join(f"{name}\n{body[name]}\n" for name in sorted(names.split()))
    way = hashes.SHA1() if body["SignatureVersion"] == "1" else hashes.SHA256()
    return b64encode(key.sign(text.encode(), padding.PKCS1v15(), way)).decode()


@contextmanager
def amazon_at_work(folder: Path, *, name: str = "localhost") -> Iterator[Amazon]:
    """A server over TLS whose certificate is for this name; `folder/ca.pem` vouches for it."""
    server = _Server(("127.0.0.1", 0), _Certificates)
    key, certificate = make_key("server"), make_certificate(make_key("server"), name)
    (folder / "ca.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "server.pem").write_bytes(private + (folder / "ca.pem").read_bytes())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.amazon = Amazon(f"https://localhost:{server.server_port}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.amazon
    finally:
        server.amazon.stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    amazon: Amazon

    def handle_error(self, *_args: object) -> None:
        """Who does not trust it hangs up."""


class _Certificates(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, _Server)
        amazon = self.server.amazon
        amazon.asked.append(self.path)
        found = amazon.files.get(self.path)
        moved = amazon.redirects.get(self.path)
        self.send_response(302 if moved else 404 if found is None else 200)
        if moved:
            self.send_header("Location", moved)
        if self.path not in amazon.dripping:
            self.send_header("Content-Length", str(len(found or b"")))
        self.end_headers()
        self.wfile.write(found or b"")
        with contextlib.suppress(OSError):
            while self.path in amazon.dripping and not amazon.stopped.wait(0.02):
                self.wfile.write(b"\n")

    def log_message(self, *_args: object) -> None:
        """Nobody reads it."""
