"""What a command says where the environment lacks what all need."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config.set_up import missing_from, static_files_problem
from config.storage import LibrariesFinder

COMPLETE = {
    "DATABASE_URL": "postgres:///q",
    "REDIS_URL": "redis://r",
    "SECRET_KEY": "s",
}


def test_complete_setup_prints_nothing() -> None:
    assert missing_from(COMPLETE, "add_judge") is None


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.parametrize("name", COMPLETE)
def test_missing_setting_is_named_with_a_remedy(name: str, value: str | None) -> None:
    given = {
        key: each
        for key, each in (COMPLETE | {name: value}).items()
        if each is not None
    }
    said = missing_from(given, "add_judge") or ""
    assert said.startswith(
        f"Quintet is not set up here: {name} is not set. What to do: run `make",
    )
    assert "./quintet add_judge" in said


def test_the_image_is_not_advised_to_run_commands_that_it_lacks() -> None:
    said = missing_from({"QUINTET_IMAGE": "1"}, "add_judge") or ""
    assert said.endswith(
        "What to do: set DATABASE_URL, REDIS_URL and SECRET_KEY (docs/operators.md).",
    )


def test_manage_py_says_it_in_place_of_a_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "add_judge", "judge-1", "--campaign", "mine"],
        cwd=settings.BASE_DIR,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{missing_from({}, 'add_judge')}\n"
    assert "DATABASE_URL, REDIS_URL and SECRET_KEY are not set." in done.stderr


def test_a_web_server_needs_all_static_files(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    collected = tmp_path / "staticfiles.json"
    finder = LibrariesFinder()
    names = [name for name, _storage in finder.list(None)]
    monkeypatch.setattr("django.contrib.staticfiles.finders.get_finders", lambda: [finder])  # fmt: skip
    monkeypatch.setattr(settings, "STATIC_HASHED", True)
    monkeypatch.setattr(settings, "STATIC_ROOT", tmp_path)
    assert "staticfiles.json: No such file" in (static_files_problem() or "")
    collected.write_text(json.dumps({"paths": dict.fromkeys(names[1:])}))
    assert f"staticfiles.json lacks {names[0]}." in (static_files_problem() or "")
    collected.write_text(json.dumps({"paths": dict.fromkeys(names)}))
    assert static_files_problem() is None


@pytest.mark.thorough
@pytest.mark.parametrize("asked", ["help", "--help", "version"])
def test_help_needs_no_environment(asked: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", asked],
        cwd=settings.BASE_DIR,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
