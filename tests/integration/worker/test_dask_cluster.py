"""The commands of docs/scale.md for many machines, word for word: a scheduler and workers of another checkout.

Only addresses, numbers of workers and the size of the simulation differ.
"""

import os
import re
import shlex
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from launcher.data_directory import CHECKOUT
from tests.checkouts import clone, commit_all, copy_checkout, git

pytestmark = pytest.mark.thorough

LOOPBACK = "127.0.0.1"
SMALL = "--systems 4 --comparisons 200 --experiments 21 --format json"


@dataclass(frozen=True)
class DocumentedCommands:
    """The commands of the page, for this machine."""

    scheduler: str
    worker: str
    simulation: str


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout in which commands are given."""
    folder = copy_checkout(tmp_path_factory.mktemp("first"))
    commit_all(folder)
    return folder


@pytest.fixture
def other(first: Path, tmp_path: Path) -> Path:
    """A checkout of the same version, which scheduler and workers run."""
    return clone(first, tmp_path / "other")


@pytest.fixture
def commands() -> DocumentedCommands:
    page = (CHECKOUT / "docs" / "scale.md").read_text()
    block = re.findall(
        r"^first\$ (.*)\neach\$ (.*)\nfirst\$ (.*)$",
        page,
        re.MULTILINE,
    )[0]
    with socket.create_server((LOOPBACK, 0)) as free:
        port = str(free.getsockname()[1])
    here = {
        "8786": port,
        "8787": "0",
        "first": LOOPBACK,
        "each": LOOPBACK,
        "nworkers 8": "nworkers 1",
    }
    return DocumentedCommands(*(replaced(command, here) for command in block))


def replaced(text: str, words: Mapping[str, str]) -> str:
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    return text


@contextmanager
def running(command: str, folder: Path) -> Iterator[None]:
    """Run a command in a checkout until the end of the block."""
    with (folder / "dask.log").open("ab") as log:
        process = subprocess.Popen(
            ["sh", "-c", f"exec env {command}"],
            cwd=folder,
            env=without_pythonpath(),
            stdout=log,
            stderr=log,
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait(60)


def without_pythonpath() -> dict[str, str]:
    """Return our environment, without the checkout that the tests may have named."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        shlex.split(f"{command} {SMALL}"),
        cwd=folder,
        env=without_pythonpath(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_two_workers_of_another_checkout_give_the_bytes_of_one_process(
    first: Path,
    other: Path,
    commands: DocumentedCommands,
) -> None:
    with ExitStack() as cluster:
        cluster.enter_context(running(commands.scheduler, other))
        for _worker in range(2):
            cluster.enter_context(running(commands.worker, other))
        distributed = run(commands.simulation, first)
    assert distributed.returncode == 0, (
        distributed.stderr + (other / "dask.log").read_text()
    )
    local = run("./quintet simulate_campaigns --jobs 1", first)
    assert distributed.stdout == local.stdout


@pytest.mark.parametrize("change", ["committed", "uncommitted"])
def test_workers_of_another_version_are_refused(
    first: Path,
    other: Path,
    commands: DocumentedCommands,
    change: str,
) -> None:
    with (other / "README.md").open("a") as file:
        file.write("Changed.\n")
    if change == "committed":
        git(other, "commit", "--quiet", "--all", "--no-verify", "--message", "Change")
    with running(commands.scheduler, first), running(commands.worker, other):
        refused = run(commands.simulation, first)
    assert refused.returncode == 1
    assert "runs another version of Quintet" in refused.stderr
    assert refused.stdout == ""
