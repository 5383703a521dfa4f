"""Sign messages by the Standard Webhooks specification, version 1 (https://www.standardwebhooks.com)."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Final

_PREFIX: Final = "whsec_"
_BYTES: Final = 32


def secret_make() -> str:
    """Return a new secret, as receivers are given it."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def signatures(*, keys: Iterable[str], message_id: str, timestamp: int, body: str) -> str:
    """Return the header `webhook-signature`: a signature by each secret, with a space between them."""
    signed = f"{message_id}.{timestamp}.{body}".encode()
    return " ".join(f"v1,{_signature(key, signed)}" for key in keys)


def _signature(key: str, signed: bytes) -> str:
    raw = base64.b64decode(key.removeprefix(_PREFIX))
    return base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode()
