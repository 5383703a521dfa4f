"""Quintet starts with the packages it runs on, without those of its tests."""

import subprocess
import sys

import pytest

from tests.installed_packages import ROOT, OthersRefused, locked


@pytest.mark.thorough
def test_all_of_it_is_imported_with_the_packages_it_runs_on() -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.installed_packages"]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]


@pytest.mark.parametrize(
    "name",
    ["pytest", "hypothesis.strategies", "packaging.version"],
)
def test_a_package_that_is_not_among_them_is_refused(name: str) -> None:
    finder = OthersRefused(locked() - {"packaging"})
    with pytest.raises(ModuleNotFoundError, match=name):
        finder.find_spec(name)
    assert finder.find_spec("django.http") is None
