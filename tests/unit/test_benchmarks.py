"""The commands that print the tables of the documentation start as they are written there: without settings of Django."""

import os
import subprocess
import sys
from pkgutil import iter_modules

from launcher.data_directory import CHECKOUT

#: Served by gunicorn, with the settings of the server.
_SERVED = "floor"


def test_benchmarks_start_without_settings() -> None:
    names = [
        module.name
        for module in iter_modules([str(CHECKOUT / "tests/benchmarks")])
        if module.name != _SERVED
    ]
    imports = "\n".join(f"import tests.benchmarks.{name}" for name in names)
    environment = dict(os.environ)
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    done = subprocess.run(
        [sys.executable, "-c", imports],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
