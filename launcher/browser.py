"""Find or install Chromium for browser tests and screenshots: an installed one, that of Debian, or that of Playwright.

``python -m launcher.browser`` installs one if none is found; tests call :func:`executable_for_tests`.
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
# Chromium without windows, which uses a quarter less processor time.
_HEADLESS = "chromium-headless-shell"
# Fonts for all scripts of the demo campaigns, so that pages are measured as users see them.
_DEBIAN_PACKAGES = (
    "chromium",
    "fonts-dejavu-core",
    "fonts-noto-core",
    "fonts-noto-cjk",
)


def executable() -> str | None:
    """Return the path of Chromium; None for the one installed by Playwright.

    ``QUINTET_CHROMIUM`` takes precedence over installed ones.
    """
    named = os.environ.get("QUINTET_CHROMIUM")
    if named:
        return named
    for command in _COMMANDS:
        command_path = shutil.which(command)
        if command_path:
            return command_path
    for application in _MAC_APPLICATIONS:
        if Path(application).exists():
            return application
    return None


def executable_for_tests() -> str | None:
    """Return the path of Chromium for tests: the one in ``QUINTET_CHROMIUM``, the headless shell of Debian, or any other."""
    if os.environ.get("QUINTET_CHROMIUM"):
        return executable()
    return shutil.which(_HEADLESS) or executable()


def launch_arguments() -> list[str]:
    """Return arguments for ``chromium.launch(args=…)``: no background traffic, and no sandbox for root."""
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
    """Install Chromium if it is missing; return the result of :func:`executable_for_tests`."""
    browser = executable()
    if _is_debian() and os.geteuid() == 0:
        if not os.environ.get("QUINTET_CHROMIUM") and shutil.which(_HEADLESS) is None:
            _install_from_debian(is_needed=browser is None)
    elif browser is None:
        _run(
            [sys.executable, "-m", "playwright", "install", "chromium"],
            dict(os.environ),
        )
    return executable_for_tests()


def _install_from_debian(*, is_needed: bool) -> None:
    """Install the headless shell, and Chromium if there is none; ignore failures unless it is needed."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    packages = (_HEADLESS, *_DEBIAN_PACKAGES) if is_needed else (_HEADLESS,)
    try:
        _run(["apt-get", "update", "-qq"], environment)
        _run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
            environment,
        )
    except subprocess.CalledProcessError:
        if is_needed:
            raise


def _is_debian() -> bool:
    """Return whether apt offers Chromium itself; the package of Ubuntu only refers to a snap."""
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
        sys.stdout.write(
            f"Browser for the tests: {set_up() or 'the one Playwright brings'}\n",
        )
    except subprocess.CalledProcessError as error:
        sys.stderr.write(
            f"No Chromium could be set up ({' '.join(error.cmd)} failed). "
            "Install one yourself, or name it: QUINTET_CHROMIUM=/path/to/chromium\n",
        )
        sys.exit(1)
