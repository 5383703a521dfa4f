"""A desk with a screen reader on it: a screen, a session bus, Orca, and a Chromium that can be seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from launcher import browser as chromium
from launcher.waiting import wait_until
from tests.walkthroughs.voice import Voice, VoiceServer

PACKAGES = {
    "orca": "orca",
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "xdotool": "xdotool",
    "dbus-daemon": "dbus",
    "gsettings": "libglib2.0-bin",
}
# Orca's way of adding to its own settings; the echo of each key would only be between the lines.
_CUSTOMIZATIONS = "import orca.settings\norca.settings.enableKeyEcho = False\n"
# How long Orca may think before it says something: it does so at its leisure on a busy machine.
BEGINNING_S = 6.0
PAUSE_S = 1.5
DEVTOOLS_PORT = 9378


def missing() -> list[str]:
    """Debian packages without which there is no desk."""
    wanted = {package for command, package in PACKAGES.items() if shutil.which(command) is None}
    if chromium.executable() is None:
        wanted.add("chromium")
    return sorted(wanted)


class Desk:
    """Everything is started on entering, in a folder of its own, and stopped on leaving."""

    def __init__(self, folder: Path, *, pace: float) -> None:
        self.voice = Voice(pace=pace)
        self._folder = folder
        self._processes: list[subprocess.Popen[str]] = []
        self._environment = dict(os.environ)

    def __enter__(self) -> Desk:
        home, run = self._folder / "home", self._folder / "run"
        for folder in (home / ".local/share/orca", run):
            folder.mkdir(parents=True, mode=0o700)
        (home / ".local/share/orca/orca-customizations.py").write_text(_CUSTOMIZATIONS)
        socket = self._folder / "voice.sock"
        self._server = VoiceServer(socket, self.voice)
        self._environment |= {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(run),
            "SPEECHD_ADDRESS": f"unix_socket:{socket}",
            "ACCESSIBILITY_ENABLED": "1",
            "LC_ALL": "C.UTF-8",
            "LANGUAGE": "en",
            "DISPLAY": f":{self._screen()}",
            "DBUS_SESSION_BUS_ADDRESS": self._bus(),
        }
        self._start(["openbox"])
        for key in ("interface toolkit-accessibility", "a11y.applications screen-reader-enabled"):
            self._run(["gsettings", "set", *f"org.gnome.desktop.{key} true".split()])
        self._start(["orca", "--replace", f"--debug-file={self._folder / 'orca.log'}"])
        if not wait_until(lambda: bool(self.voice.utterances), seconds=60):
            raise SystemExit(f"Orca does not speak; see {self._folder}.")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
        self._server.shutdown()

    def open(self, address: str) -> None:
        """Open an address as a mail program does: in the Chromium that runs, or in a new one."""
        self._start(
            [
                chromium.executable() or "chromium",
                *chromium.launch_arguments(),
                "--test-type",
                "--force-renderer-accessibility",
                "--lang=en",
                "--window-size=1280,800",
                f"--user-data-dir={self._folder / 'profile'}",
                f"--remote-debugging-port={DEVTOOLS_PORT}",
                address,
            ]
        )

    def press(self, keys: Sequence[str]) -> None:
        """Real key events, that Orca hears before the browser does; names as xdotool has them."""
        self._run(["xdotool", "key", "--delay", "40", *keys])

    def heard(self, *, patience_s: float = 60.0) -> list[str]:
        """What was said since this was asked last, once nothing more comes; ⋯ where it was cut off."""
        wait_until(lambda: bool(self.voice.utterances), seconds=BEGINNING_S)
        since = time.monotonic()
        wait_until(lambda: self.voice.is_quiet(since, PAUSE_S), seconds=patience_s)
        said = self.voice.take()
        return [f"{each.text}{'' if each.heard == 'all' else ' ⋯'}" for each in said]

    def version(self) -> str:
        orca = self._run(["orca", "--version"]).strip()
        browser = self._run([chromium.executable() or "chromium", "--version"]).split(" built")[0]
        return f"{orca}, {browser}"

    def _screen(self) -> int:
        number = next(
            each for each in range(77, 200) if not Path(f"/tmp/.X11-unix/X{each}").exists()
        )
        self._start(["Xvfb", f":{number}", "-screen", "0", "1366x768x24"])
        if not wait_until(lambda: Path(f"/tmp/.X11-unix/X{number}").exists(), seconds=10):
            raise SystemExit("Xvfb does not start.")
        return number

    def _bus(self) -> str:
        process = self._start(
            ["dbus-daemon", "--session", "--nofork", "--print-address=1"], output=subprocess.PIPE
        )
        assert process.stdout is not None
        return process.stdout.readline().strip()

    def _start(self, command: list[str], *, output: int | None = None) -> subprocess.Popen[str]:
        log = (self._folder / "processes.log").open("a")
        process = subprocess.Popen(
            command, env=self._environment, stdout=output or log, stderr=log, text=True
        )
        self._processes.append(process)
        return process

    def _run(self, command: list[str]) -> str:
        return subprocess.run(
            command,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
            text=True,
        ).stdout
