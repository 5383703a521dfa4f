"""The version: stated once, and of each commit after it another one."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from launcher.data_directory import CHECKOUT
from version import VERSION, code_version, package_version

STATED = "4.5.6"


@pytest.fixture(autouse=True)
def _read_afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("QUINTET_CODE_VERSION", raising=False)
    code_version.cache_clear()
    yield
    code_version.cache_clear()


class Repository:
    """A repository whose last commit sets the version."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "--quiet")
        (root / "pyproject.toml").touch()
        self.set("4.5.5")
        self.commit()
        self.set(STATED)
        self.commit()

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = subprocess.run(
            ["git", *identity, *arguments],
            cwd=self.root, check=True, capture_output=True, text=True,
        )  # fmt: skip
        return done.stdout.strip()

    def set(self, version: str) -> None:
        (self.root / "version.py").write_text(
            f'"""Versions."""\n\nVERSION = "{version}"\n',
        )

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=.")

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")[:10]

    @property
    def version(self) -> str:
        return package_version(self.root, STATED)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_the_commit_that_sets_a_version_is_that_version(repository: Repository) -> None:
    assert repository.version == STATED


def test_later_commits_are_development_versions_of_the_next_one(
    repository: Repository,
) -> None:
    (repository.root / "another.py").touch()
    repository.commit()
    repository.commit()
    assert repository.version == f"4.5.7.dev2+g{repository.head}"


def test_a_changed_work_tree_is_no_released_version(repository: Repository) -> None:
    repository.set("4.5.8")
    assert repository.version == f"4.5.7.dev0+g{repository.head}.dirty"


def test_a_clone_that_ends_after_the_version_counts_no_commits(
    repository: Repository,
) -> None:
    repository.commit()
    clone = repository.root.with_name("clone")
    repository.git(
        "clone",
        "--quiet",
        "--depth=1",
        f"file://{repository.root}",
        str(clone),
    )
    assert package_version(clone, STATED) == f"4.5.7.dev0+g{repository.head}"


def test_unpacked_sources_have_the_stated_version(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    assert package_version(tmp_path, STATED) == STATED


def test_a_damaged_repository_has_a_development_version(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    assert package_version(tmp_path, STATED) == "4.5.7.dev0"


def test_commands_and_rankings_state_the_same_version() -> None:
    for command in (["version.py"], ["-m", "launcher", "--version"]):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=CHECKOUT,
            check=True,
            capture_output=True,
            text=True,
        )
        assert done.stdout == f"{code_version()}\n"


def test_the_environment_goes_first_and_fits_the_column(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QUINTET_CODE_VERSION", " 1.2.3+image " + "x" * 99)
    assert code_version().startswith("1.2.3+image xxx")
    assert len(code_version()) == 60


def test_chart_image_and_changelog_have_the_version() -> None:
    chart = yaml.safe_load((CHECKOUT / "deploy/helm/quintet/Chart.yaml").read_text())
    assert {chart["version"], chart["appVersion"]} == {VERSION}
    tags = re.findall(
        r"/quintet:([\w.]+)",
        (CHECKOUT / "docs/operators.md").read_text(),
    )
    assert set(tags) == {VERSION}
    changelog = (CHECKOUT / "CHANGELOG.md").read_text()
    assert (
        re.findall(r"^## ([\d.]+) — \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)[0]
        == VERSION
    )
