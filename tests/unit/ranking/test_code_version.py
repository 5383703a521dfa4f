"""The code version a ranking run records."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ranking import code_version as module
from ranking.code_version import code_version


@pytest.fixture(autouse=True)
def read_afresh() -> Iterator[None]:
    code_version.cache_clear()
    yield
    code_version.cache_clear()


def test_the_environment_goes_first_and_fits_the_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUINTET_CODE_VERSION", " 1.2.3+image " + "x" * 99)
    assert code_version().startswith("1.2.3+image xxx")
    assert len(code_version()) == 60


def test_package_version_and_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QUINTET_CODE_VERSION", raising=False)
    assert re.fullmatch(r"\d+\.\d+\.\d+(\+g[0-9a-f]{7,}(\.dirty)?)?", code_version())


def test_outside_a_repository_the_package_version_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("QUINTET_CODE_VERSION", raising=False)
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "4.5.6"\n')
    monkeypatch.setattr(module, "_ROOT", tmp_path)
    assert code_version() == "4.5.6"


def test_a_damaged_repository_is_no_reason_to_fail(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("QUINTET_CODE_VERSION", raising=False)
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "4.5.6"\n')
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    monkeypatch.setattr(module, "_ROOT", tmp_path)
    assert code_version() == "4.5.6"
