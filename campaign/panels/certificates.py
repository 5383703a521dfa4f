"""The certificates with which Amazon SNS signs; each process fetches them once.

A certificate is fetched during the request of SNS that needs it, so that SNS learns of a failure
and sends its message again. No judge waits for it. Only one thread of a process waits for Amazon at
a time, for a few seconds at most, so that the others continue to answer judges.
"""

import logging
import re
import time
from http.client import HTTPException
from ssl import create_default_context
from threading import Lock
from typing import IO, Final
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, HTTPSHandler, build_opener

from cryptography.x509 import Certificate, load_pem_x509_certificate
from django.conf import settings

from campaign.panels.events import EventForgedError

#: Seconds for an attempt, and seconds to wait after a failed one.
TIME_OUT: Final = 5.0
PAUSE: Final = 15.0
LARGEST: Final = 64 * 1024
_KEPT: Final = 16

log = logging.getLogger(__name__)
_certificates: dict[str, Certificate] = {}
_fetching = Lock()
_failed_at: list[float] = []


class CertificateUnavailableError(Exception):
    """Amazon cannot be reached at the moment; SNS sends the message again."""


def signing_certificate(url: str) -> Certificate:
    """Return the certificate at this address of SNS, from any issuer.

    Raises `EventForgedError` if the address is not one of SNS or has no certificate, and
    `CertificateUnavailableError` if it cannot be fetched now.
    """
    found = _certificates.get(url)
    if found is not None:
        return found
    if not re.fullmatch(rf"https://(?:{settings.SNS_CERTIFICATE_HOSTS})/[A-Za-z0-9_-]+\.pem", url):
        raise EventForgedError("The certificate is not at an address of Amazon SNS.")
    if not _fetching.acquire(blocking=False):
        raise CertificateUnavailableError("A certificate is being fetched.")
    try:
        return _certificates.get(url) or _fetch_and_keep(url)
    finally:
        _fetching.release()


def _fetch_and_keep(url: str) -> Certificate:
    if _failed_at and time.monotonic() < _failed_at[0] + PAUSE:
        raise CertificateUnavailableError("The last certificate could not be fetched.")
    try:
        pem = _fetch(url)
    except (OSError, HTTPException) as error:
        _failed_at[:] = [time.monotonic()]
        log.warning("The certificate of Amazon SNS at %s could not be fetched: %s", url, error)
        raise CertificateUnavailableError("The certificate could not be fetched.") from error
    _failed_at.clear()
    try:
        certificate = load_pem_x509_certificate(pem)
    except ValueError as error:
        raise EventForgedError("There is no certificate at the address.") from error
    while len(_certificates) >= _KEPT:
        del _certificates[next(iter(_certificates))]
    _certificates[url] = certificate
    return certificate


class _NoRedirect(HTTPRedirectHandler):
    """Refuse redirects, because their target may not be an address of SNS."""

    def redirect_request(self, *_args: object) -> None:
        return


def _fetch(url: str) -> bytes:
    # With the system's certificate authorities, and its proxy if there is one.
    opener = build_opener(HTTPSHandler(context=create_default_context()), _NoRedirect())
    until = time.monotonic() + TIME_OUT
    try:
        with opener.open(url, timeout=TIME_OUT) as answer:
            return _read(answer, until)
    except HTTPError as error:
        error.close()
        if error.code < 500:
            raise EventForgedError("There is no certificate at the address.") from error
        raise


def _read(answer: IO[bytes], until: float) -> bytes:
    """Return the whole answer, unless it is too slow or too long."""
    found = b""
    while chunk := answer.read1(LARGEST):  # type: ignore[attr-defined]
        found += chunk
        if len(found) > LARGEST:
            raise EventForgedError("What is at the address is too large for a certificate.")
        if time.monotonic() > until:
            raise TimeoutError("It took too long.")
    return found
