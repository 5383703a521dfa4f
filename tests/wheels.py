"""The wheel of this checkout, installed into an environment of its own."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from launcher.data_directory import CHECKOUT

_PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
_SECONDS = 600


def wheel_build(source: Path, folder: Path) -> Path:
    """Build the wheel of a checkout into a folder."""
    build = [*_PIP, "wheel", "--no-deps", "--wheel-dir", str(folder), str(source)]
    subprocess.run(build, check=True, timeout=_SECONDS)
    (wheel,) = folder.glob("quintet_ranking-*.whl")
    return wheel


def wheel_install(wheel: Path, python: Path) -> None:
    """Install a wheel into the environment of a Python, without the packages that it depends on."""
    install = [
        *_PIP,
        "--python",
        str(python),
        "install",
        "--no-deps",
        "--no-compile",
        str(wheel),
    ]
    subprocess.run(install, check=True, timeout=_SECONDS)


def installed_wheel(folder: Path) -> Path:
    """Return the `bin` folder of an environment with only the wheel; dependencies come from this one."""
    venv.create(folder / "env")
    programs = folder / "env" / "bin"
    wheel_install(wheel_build(CHECKOUT, folder), programs / "python")
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    (site / "packages_of_others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs
