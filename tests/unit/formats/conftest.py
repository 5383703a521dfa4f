"""Files for the readers, made of text or taken from the released WMT data."""

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from campaign.formats import InputFile


def _make_file(name: str, content: str | bytes) -> InputFile:
    data = content.encode() if isinstance(content, str) else content
    return InputFile(name, io.BytesIO(data))


@pytest.fixture(scope="session")
def make_file() -> Callable[[str, str | bytes], InputFile]:
    """Session-wide, because Hypothesis runs many examples inside one test."""
    return _make_file


@pytest.fixture
def real_data() -> Path:
    folder = os.environ.get("QUINTET_REAL_DATA")
    if not folder:
        pytest.skip("QUINTET_REAL_DATA does not name the folder of the released WMT data")
    return Path(folder)
