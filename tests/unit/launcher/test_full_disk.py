"""The record of what runs, on a disk that is full for a while."""

import json
import os
import signal
from pathlib import Path

import pytest

from launcher.data_directory import write_private
from launcher.processes import ProcessRegistry
from tests.full_disk import full_disk


@pytest.fixture
def registry(tmp_path: Path) -> ProcessRegistry:
    registry = ProcessRegistry(tmp_path / "processes.json")
    registry.add("web", os.getpid(), signal.SIGTERM)
    return registry


def recorded(folder: Path) -> set[str]:
    return set(json.loads((folder / "processes.json").read_text()))


def test_a_private_file_stays_as_it_was_and_nothing_is_left_beside_it(
    tmp_path: Path,
) -> None:
    write_private(tmp_path / "key", "before")
    with full_disk(), pytest.raises(OSError, match="File too large"):
        write_private(tmp_path / "key", "after")
    assert (tmp_path / "key").read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_a_record_that_cannot_be_written_is_no_error_but_says_so(
    registry: ProcessRegistry,
    tmp_path: Path,
) -> None:
    with full_disk():
        registry.add("worker", os.getpid(), signal.SIGTERM)
        assert registry.refusal == (
            f"{tmp_path / 'processes.json'} cannot be written: File too large"
        )
        registry.remove("web")
        registry.write()
        assert registry.refusal is not None
    assert recorded(tmp_path) == {"web"}


def test_registry_is_complete_once_there_is_disk_space(
    registry: ProcessRegistry,
    tmp_path: Path,
) -> None:
    with full_disk():
        registry.add("worker", os.getpid(), signal.SIGTERM)
        registry.add("beat", os.getpid(), signal.SIGTERM)
        registry.remove("web")
    registry.write()
    assert registry.refusal is None
    assert recorded(tmp_path) == {"worker", "beat"}
