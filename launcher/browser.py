"""A Chromium for the browser tests and the screenshots: one that is there, Debian's, or Playwright's.

``python -m launcher.browser`` sets one up where none is found; the tests ask :func:`executable_for_tests`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MAC_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# The same Chromium without windows, which takes a quarter less of the processor: enough for tests.
_HEADLESS = "chromium-headless-shell"
# With faces for every script of the demo campaigns, so that a page measures as readers see it.
_DEBIAN_PACKAGES = ("chromium", "fonts-dejavu-core", "fonts-noto-core", "fonts-noto-cjk")


def executable() -> str | None:
    """Return the Chromium to launch, or None for the one that Playwright installs.

    ``QUINTET_CHROMIUM`` names one; otherwise the first installed one is taken.
    """
    named = os.environ.get("QUINTET_CHROMIUM")
    if named:
        return named
    for command in _COMMANDS:
        found = shutil.which(command)
        if found:
            return found
    for application in _MAC_APPLICATIONS:
        if Path(application).exists():
            return application
    return None


def executable_for_tests() -> str | None:
    """Return the Chromium that tests launch: the one that is named, Debian's headless shell, or any other."""
    if os.environ.get("QUINTET_CHROMIUM"):
        return executable()
    return shutil.which(_HEADLESS) or executable()


def launch_arguments() -> list[str]:
    """Return arguments for ``chromium.launch(args=…)``: no traffic of its own, and no sandbox for root."""
    arguments = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")  # Chromium's sandbox refuses to start as root
    return arguments


def set_up() -> str | None:
    """Make sure that there is a Chromium; return the result of :func:`executable_for_tests` afterwards."""
    found = executable()
    if _is_debian() and os.geteuid() == 0:
        if not os.environ.get("QUINTET_CHROMIUM") and shutil.which(_HEADLESS) is None:
            _install_from_debian(is_needed=found is None)
    elif found is None:
        _run([sys.executable, "-m", "playwright", "install", "chromium"], dict(os.environ))
    return executable_for_tests()


def _install_from_debian(*, is_needed: bool) -> None:
    """Install the headless shell, and the Chromium too where none is there; unless needed, go on without it."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    packages = (_HEADLESS, *_DEBIAN_PACKAGES) if is_needed else (_HEADLESS,)
    try:
        _run(["apt-get", "update", "-qq"], environment)
        _run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], environment)
    except subprocess.CalledProcessError:
        if is_needed:
            raise


def _is_debian() -> bool:
    """Return whether apt has Chromium as a program; Ubuntu's package only points to a snap."""
    try:
        release = Path("/etc/os-release").read_text()
    except OSError:
        return False
    return "\nID=debian" in "\n" + release and shutil.which("apt-get") is not None


def _run(command: list[str], environment: dict[str, str]) -> None:
    sys.stdout.write(f"Setting up a browser for the tests: {' '.join(command)}\n")
    sys.stdout.flush()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    try:
        sys.stdout.write(f"Browser for the tests: {set_up() or 'the one Playwright brings'}\n")
    except subprocess.CalledProcessError as error:
        sys.stderr.write(
            f"No Chromium could be set up ({' '.join(error.cmd)} failed). "
            "Install one yourself, or name it: QUINTET_CHROMIUM=/path/to/chromium\n"
        )
        sys.exit(1)
