"""Modules that a process loads only when it needs them."""

import subprocess
import sys

import pytest

from launcher.data_directory import CHECKOUT

pytestmark = pytest.mark.thorough


def test_processes_start_without_modules_that_few_requests_need() -> None:
    """Arrow takes 38 MB of each process, scipy.stats a fifth of the time that Django takes to start."""
    code = (
        "import sys, django; django.setup();"
        "from config.celery import app; app.loader.import_default_modules();"
        "import config.urls;"
        "sys.exit(bool({'pyarrow', 'scipy.stats'} & set(sys.modules)))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=CHECKOUT,
            check=False,
        ).returncode
        == 0
    )
