"""Processes that serve and compute look for garbage among what they made, not in the application they loaded."""

import json
import subprocess
import sys

import pytest

from config.garbage import OBJECTS_BETWEEN

_BEGINS = {
    "worker": "import config.celery; celery.signals.celeryd_after_setup.send(sender='worker')",
    "web server": "import config.gunicorn; config.gunicorn.when_ready(types.SimpleNamespace(LISTENERS=[]))",
}


@pytest.mark.parametrize("process", _BEGINS)
def test_the_loaded_application_is_exempt(process: str) -> None:
    tells = "print(json.dumps([gc.get_threshold()[0], gc.get_freeze_count()]))"
    program = f"import celery.signals, gc, json, types; {_BEGINS[process]}; {tells}"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    threshold, exempt = json.loads(told.stdout)
    assert threshold == OBJECTS_BETWEEN
    assert exempt > 10_000
