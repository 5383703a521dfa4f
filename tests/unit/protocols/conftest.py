"""Fixtures of all protocols: files written by hand, and commands."""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command


@pytest.fixture
def make_file(tmp_path: Path) -> Callable[..., str]:
    """Write objects, or lines as they are, to a file."""

    def made(lines: Iterable[Mapping[str, Any] | str], name: str = "rows.jsonl") -> str:
        path = tmp_path / name
        text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
        return str(path)

    return made


@pytest.fixture
def run() -> Callable[..., str]:
    """Call a command; return its standard output."""

    def call(command: str, *arguments: object) -> str:
        out = io.StringIO()
        call_command(command, *map(str, arguments), stdout=out, stderr=io.StringIO())
        return out.getvalue()

    return call


@pytest.fixture
def run_json(run: Callable[..., str]) -> Callable[..., Any]:
    """Call a command with --format json; return its data."""
    return lambda command, *arguments: json.loads(
        run(command, *arguments, "--format", "json"),
    )
