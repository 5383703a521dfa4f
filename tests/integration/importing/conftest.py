"""Files to import, and what they left behind."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from campaign.models import Campaign
from tests.unchanged import nothing_changes

FIVE_WAY_HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    "system1Number,system1Id,system2Number,system2Id,system3Number,system3Id,"
    "system1rank,system2rank,system3rank\n"
)


@pytest.fixture
def campaign(db: None) -> Campaign:
    return Campaign.objects.create(slug="museum", name="A day at the museum")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def refused(db: None) -> Callable[..., str]:
    """Run a command that must fail; return its message, having seen that nothing changed."""

    def run(command: str, *args: Any, **options: Any) -> str:
        with nothing_changes(), pytest.raises(CommandError) as caught:
            call_command(
                command,
                *args,
                stdout=StringIO(),
                stderr=StringIO(),
                **options,
            )
        assert caught.value.returncode == 1
        # One full stop ends a sentence; two with a slash are a name in an archive.
        assert ".." not in str(caught.value).replace("../", "")
        return str(caught.value)

    return run


@pytest.fixture
def done() -> Callable[..., str]:
    """Run a command that must succeed; return what it says."""

    def run(command: str, *args: Any, **options: Any) -> str:
        out = StringIO()
        call_command(command, *args, stdout=out, stderr=StringIO(), **options)
        return out.getvalue().strip()

    return run


@pytest.fixture
def five_way(write: Callable[[str, str], Path]) -> Callable[..., Path]:
    """Write a CSV of blocks of up to three candidates.

    A row is "segment judge A=1 B,C=2 …"; a label "-" is blank.
    """

    def write_csv(
        *rows: str,
        name: str = "judgments.csv",
        languages: str = "cs,en",
        document: str = "doc",
    ) -> Path:
        lines = [FIVE_WAY_HEADER]
        for row in rows:
            segment, judge, *candidates = row.split()
            pairs = [candidate.split("=") for candidate in candidates]
            pairs += [["", "-"]] * (3 - len(pairs))
            systems = ",".join(f',"{systems}"' for systems, _label in pairs)
            labels = ",".join(
                "-1" if label == "-" else label for _systems, label in pairs
            )
            lines.append(
                f"{languages},{segment},{document},{segment},{judge},{systems},{labels}\n",
            )
        return write(name, "".join(lines))

    return write_csv
