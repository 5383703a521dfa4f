"""What the cells behind one address agree on: which ids are whose, and what their cookies are called."""

import re
from typing import Final

# Above, ids (settings.IDS_OF_A_CELL) would not be exact in a browser: its numbers have 53 bits.
_MOST: Final = 9_000

_COOKIE = re.compile(r"sessionid(?:-[1-9]\d{0,3})?")


def session_cookie_name(cell: int) -> str:
    """Return the name of the cookie with a cell's session: `sessionid`, `sessionid-1`, …

    Raises:
        ValueError: no cell has this number.
    """
    if not 0 <= cell <= _MOST:
        raise ValueError(f"CELL is a number from 0 to {_MOST}.")
    return f"sessionid-{cell}" if cell else "sessionid"


def is_session_cookie(name: str) -> bool:
    """Return whether a cookie holds the session of some cell."""
    return _COOKIE.fullmatch(name) is not None
