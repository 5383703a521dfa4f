"""Files of judgments, made of text."""

from collections.abc import Callable
from pathlib import Path

import pytest

MakeFile = Callable[..., str]


@pytest.fixture
def make_file(tmp_path: Path) -> MakeFile:
    """Write a file and return its name."""

    def make(content: str | bytes, name: str = "judgments") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return make
