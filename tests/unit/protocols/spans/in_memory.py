"""Files whose bytes are in memory."""

import io

from campaign.formats import InputFile


def in_memory(text: str, name: str = "file") -> InputFile:
    return InputFile(name, io.BytesIO(text.encode()))
