"""Mail over SMTP, under the name of this Quintet's public address."""

import ipaddress
import smtplib
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import DNS_NAME, EmailMessage
from django.core.mail.backends import smtp
from django.core.mail.message import utf8_charset_qp


class EmailBackend(smtp.EmailBackend):
    """Greet mail servers (EHLO) with the host of `PUBLIC_ADDRESS`; without one, with the name of this machine.

    In a container, that is an id which no server can look up, and some refuse such clients.
    """

    @property
    def connection_class(self) -> Any:
        """Return the function that connects to the mail server."""
        connect: type[smtplib.SMTP] = super().connection_class

        def connect_by_name(host: str, port: int, **options: Any) -> smtplib.SMTP:
            return connect(host, port, **{**options, "local_hostname": greeting_name()})

        return connect_by_name

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Send messages as ASCII, and return how many were sent.

        Django writes UTF-8, which a server without the extension 8BITMIME may refuse or damage.
        """
        for message in email_messages:
            message.encoding = utf8_charset_qp
        return super().send_messages(email_messages)


def greeting_name() -> str:
    """Return the host name of `PUBLIC_ADDRESS`, or of this machine if that is none, such as 127.0.0.1 and localhost."""
    host = urlsplit(settings.PUBLIC_ADDRESS).hostname or ""
    if "." not in host or _is_ip_address(host):
        return str(DNS_NAME)
    return host.encode("idna").decode()


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
