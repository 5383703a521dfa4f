"""Files whose bytes are in memory."""

import io
from collections.abc import Iterable

from campaign.formats import InputFile
from campaign.formats.errors import Loss


def in_memory(text: str, name: str = "file") -> InputFile:
    return InputFile(name, io.BytesIO(text.encode()))


def lost(losses: Iterable[Loss]) -> dict[str, int]:
    """Return the count of each loss."""
    return {loss.what: loss.count for loss in losses}
