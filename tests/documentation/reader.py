"""A person who follows the documentation: an installation with a running demo, and the commands they type."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from launcher.data_directory import read_json
from tests.checkouts import copy_checkout
from tests.documentation.world import files_write
from tests.wheels import installed_wheel

#: A command that takes longer waits for something.
SECONDS = 300
#: Variables that name an installation or its services.
_OF_AN_INSTALLATION = (
    *("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL", "SECRET_KEY"),
    *("QUINTET_HOME", "PORT", "STATIC_ROOT", "PYTHONPATH", "DJANGO_SETTINGS_MODULE"),
)


@dataclass(frozen=True)
class Installation:
    """A way of having Quintet, with the commands of the person who has it.

    Attributes
    ----------
    folder : Path
        Where commands are typed.
    programs : Path
        The folder of its Python.
    """

    folder: Path
    programs: Path
    demo: tuple[str, ...]
    quintet: str
    is_checkout: bool


def clone_made(above: Path) -> Installation:
    """Make the folder that the README makes."""
    folder = copy_checkout(above / "quintet")
    return Installation(
        folder,
        folder / ".venv/bin",
        ("make", "demo"),
        "./quintet",
        True,
    )


def wheel_installed(above: Path) -> Installation:
    """Install the wheel, and make another folder."""
    programs = installed_wheel(above)
    folder = above / "work"
    folder.mkdir()
    quintet = str(programs / "quintet")
    return Installation(folder, programs, (quintet, "demo"), quintet, False)


class Reader:
    """A person who follows the documentation: an installation, an environment, and what they replace in commands."""

    def __init__(self, above: Path, installation: Installation) -> None:
        self.above = above
        self.installation = installation
        self.folder = installation.folder
        self.home = above / "home"
        self.environment = {
            **{k: v for k, v in os.environ.items() if k not in _OF_AN_INSTALLATION},
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(above),
            "QUINTET_HOME": str(self.home),
            "PORT": "0",
        }
        files_write(self.folder)
        (above / "elsewhere").mkdir()

    def run(self, command: str, replaced: Mapping[str, str] | None = None) -> str:
        """Run a command in a terminal, answering yes; return its output. Fail unless its exit status is 0."""
        written_quintet = {"./quintet ": f"{self.installation.quintet} "}
        return self._run(
            ["sh", "-ec"],
            command,
            {**written_quintet, **(replaced or {})},
        )

    def run_program(self, program: str, replaced: Mapping[str, str]) -> None:
        """Run a program in the Python of the installation. Fail unless its exit status is 0."""
        self._run([str(self.installation.programs / "python"), "-c"], program, replaced)

    def _run(self, argv: list[str], text: str, replaced: Mapping[str, str]) -> str:
        for written, meant in replaced.items():
            text = text.replace(written, meant)
        finished = subprocess.run(
            [*argv, text],
            cwd=self.folder,
            env=self.environment,
            input="y\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        output = finished.stdout + finished.stderr
        assert finished.returncode == 0, f"{text}\n{output[-3000:]}"
        return finished.stdout

    def replaced(self) -> dict[str, str]:
        """Return what stands for the addresses and folders of examples."""
        backups = [str(path) for path in (self.above / "elsewhere").iterdir()]
        return {
            "/mnt/elsewhere/quintet-20261124-193300": backups[0] if backups else "",
            "/mnt/elsewhere": str(self.above / "elsewhere"),
            "/srv/quintet": str(self.above / "restored"),
            "http://127.0.0.1:8000": self.address,
        }

    @property
    def address(self) -> str:
        """Return where the demo is served."""
        served: str = read_json(self.home / "address.json")
        return served


@contextlib.contextmanager
def demo_started(reader: Reader) -> Iterator[None]:
    """Start the demo, on any free port, and load all campaigns."""
    with subprocess.Popen(
        reader.installation.demo,
        cwd=reader.folder,
        env=reader.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            lines: list[str] = []
            for line in process.stdout:
                lines.append(line)
                if "demo campaigns loaded" in line:
                    break
            else:
                pytest.fail("".join(lines))
            yield
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.communicate()
