"""JSON Lines: an object a line."""

import json
from collections.abc import Mapping


def json_line(values: Mapping[str, object]) -> str:
    """Return an object as a line of JSON Lines, in UTF-8's own letters and with its end."""
    return json.dumps(values, ensure_ascii=False) + "\n"
