"""Commands on files, called as Python and as processes."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[4]

HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    "system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"
)


@pytest.fixture
def judgments(tmp_path: Path) -> str:
    """Eight blocks of two judges on three systems and the reference."""
    rows = [
        f"Czech,English,{segment},d,{segment},{judge},{shown},{ranks}\n"
        for segment, (shown, ranks) in enumerate(
            [
                ("A,B,C", "1,2,3"),
                ("B,A,_ref", "2,2,1"),
                ("C,B,A", "3,-1,1"),
                ("A,C,B", "2,3,1"),
            ],
            1,
        )
        for judge in ("ann", "bob")
    ]
    path = tmp_path / "judgments.csv"
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def enough(judgments: str) -> str:
    """The same eight blocks of six times as many judges and segments: enough for rank ranges."""
    path = Path(judgments)
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    more = [
        re.sub(
            r",([1-4]),d,\1,(ann|bob),",
            rf",{times}\g<1>,d,{times}\g<1>,\g<2>{times},",
            row,
        )
        for times in range(1, 7)
        for row in rows
    ]
    path.write_text("\n".join([header, *more]), encoding="utf-8")
    return judgments


@pytest.fixture
def run() -> Callable[..., str]:
    """Call a command; returns what it wrote to standard output."""

    def call(command: str, *arguments: object) -> str:
        out = io.StringIO()
        call_command(command, *map(str, arguments), stdout=out, stderr=io.StringIO())
        return out.getvalue()

    return call


@pytest.fixture
def run_json(run: Callable[..., str]) -> Callable[..., Any]:
    """Call a command with --format json; returns what it says."""
    return lambda command, *arguments: json.loads(
        run(command, *arguments, "--format", "json"),
    )


@pytest.fixture
def process() -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Run `python manage.py …` without any of the variables that services need."""

    def started(
        *arguments: object,
        **options: Any,
    ) -> "subprocess.CompletedProcess[str]":
        services = ("SECRET_KEY", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
        return subprocess.run(
            [sys.executable, "manage.py", *map(str, arguments)],
            cwd=ROOT,
            env={
                name: value
                for name, value in os.environ.items()
                if name not in services
            },
            capture_output=True,
            check=False,
            encoding="utf-8",
            **options,
        )

    return started
