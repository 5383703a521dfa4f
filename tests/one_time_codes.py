"""The codes of an authenticator app, by RFC 6238, without the code under test."""

import hmac
import struct
import time
from base64 import b32decode


def code_now(key: str, at: float | None = None) -> str:
    """Return the six digits that an app with this key shows."""
    counter = int((time.time() if at is None else at) // 30)
    digest = hmac.digest(b32decode(key.strip()), struct.pack(">Q", counter), "sha1")
    start = digest[-1] & 15
    number = struct.unpack(">I", digest[start : start + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"
