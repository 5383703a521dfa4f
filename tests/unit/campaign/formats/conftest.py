"""Files for the readers, made of text."""

import io
from collections.abc import Callable

import pytest

from campaign.formats import InputFile


def _make_file(name: str, content: str | bytes) -> InputFile:
    data = content.encode() if isinstance(content, str) else content
    return InputFile(name, io.BytesIO(data))


@pytest.fixture(scope="session")
def make_file() -> Callable[[str, str | bytes], InputFile]:
    """Session-wide, because Hypothesis runs many examples inside one test."""
    return _make_file
