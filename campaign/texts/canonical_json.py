"""Canonical JSON (RFC 8785): a unique text for each value, used for digests.

Keys are sorted by UTF-16 code units, numbers are formatted as in ECMAScript, and there is no space between
tokens. Equal values give the same bytes in every implementation of the RFC.
"""

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final

#: From here on, JSON does not represent all integers exactly.
_EXACT: Final = 2**53


def canonical(value: Any) -> str:
    """Return the canonical text of a value: mappings with text keys, lists, texts, numbers, booleans, None.

    Raises
    ------
    ValueError
        For NaN, infinities and integers from 2^53 on; convert these to text.
    TypeError
        For types that JSON does not have.
    """
    if value is None or isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, Mapping):
        members = []
        for key in sorted(value, key=_code_units):
            members.append(f"{canonical(key)}:{canonical(value[key])}")
        return f"{{{','.join(members)}}}"
    if isinstance(value, list | tuple):
        items = ",".join(map(canonical, value))
        return f"[{items}]"
    raise TypeError(f"JSON does not support {type(value).__name__}")


def _code_units(key: object) -> bytes:
    return str(key).encode("utf-16-be")


def digest_of(value: Any) -> str:
    """Return the SHA-256 of the canonical text of a value, as 64 characters."""
    return sha256(canonical(value).encode()).hexdigest()


def _number(value: float) -> str:
    if isinstance(value, int) and abs(value) >= _EXACT:
        raise ValueError(f"{value} is not a number that all readers of JSON have")
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a number of JSON")
    if value == 0:
        return "0"
    if value < 0:
        return f"-{_number(-value)}"
    # The shortest digits that give this number again, as in ECMAScript.
    shortest = Decimal(repr(value)).normalize()
    digits = "".join(map(str, shortest.as_tuple().digits))
    point = shortest.adjusted() + 1
    return _insert_decimal_point(digits, point)


def _insert_decimal_point(digits: str, point: int) -> str:
    """Return 0.<digits> × 10^point."""
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        zeros = "0" * -point
        return f"0.{zeros}{digits}"
    exponent = f"e{point - 1:+d}"
    if len(digits) == 1:
        return f"{digits}{exponent}"
    return f"{digits[0]}.{digits[1:]}{exponent}"


def json_line(values: Mapping[str, object]) -> str:
    """Return an object as a line of JSON Lines, unescaped and with a line feed."""
    return json.dumps(values, ensure_ascii=False) + "\n"
