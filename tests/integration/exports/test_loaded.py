"""What a process that exports nothing does without."""

import subprocess
import sys

import pytest

from launcher.data_directory import CHECKOUT

pytestmark = pytest.mark.thorough


def test_processes_load_arrow_only_to_export() -> None:
    """It takes 38 MB of each."""
    code = (
        "import sys, django; django.setup();"
        "from config.celery import app; app.loader.import_default_modules();"
        "import config.urls;"
        "sys.exit('pyarrow' in sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], cwd=CHECKOUT, check=False
        ).returncode
        == 0
    )
