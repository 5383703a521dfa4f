"""Criteria of rating tasks, as organisers describe them."""

from typing import Any


def criterion(
    key: str,
    *,
    lowest: int = 1,
    highest: float = 5,
    **fields: Any,
) -> dict[str, Any]:
    """Return a criterion with labels at both ends of its scale."""
    return {
        "key": key,
        "name": key.capitalize(),
        "question": f"How good is the {key}?",
        "lowest": lowest,
        "highest": highest,
        "labels": {str(lowest): "very bad", str(highest): "very good"},
        **fields,
    }


#: Four criteria on different scales, two of which order outputs.
FOUR = [
    criterion("coherence", weight=2),
    criterion("errors", lower_is_better=True, weight=1),
    criterion("style", lowest=0, highest=6, beside="source"),
    criterion("overall", lowest=0, highest=100, beside="both"),
]
