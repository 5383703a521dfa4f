"""`python3 -m deploy.secret_files`: files that docker-compose.yml reads; nothing that was there is lost."""

import stat
from pathlib import Path

import pytest
import yaml

from deploy.secret_files import FILES, secrets_write
from launcher.data_directory import CHECKOUT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "secrets"


def test_they_are_those_that_the_compose_file_reads_from_its_folder() -> None:
    compose = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
    read = {
        name
        for name, secret in compose["secrets"].items()
        if secret["file"].startswith("${SECRETS:-./secrets}/")
    }
    assert set(FILES) == read


def test_each_is_random_and_for_its_reader_alone(folder: Path) -> None:
    assert secrets_write(folder) == list(FILES)
    values = [(folder / name).read_text() for name in FILES]
    assert len(set(values)) == len(FILES)
    assert all(len(each) == 65 for each in values)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in FILES} == {0o444}


def test_a_file_that_is_there_is_never_overwritten(folder: Path) -> None:
    secrets_write(folder)
    (folder / "metrics_token").unlink()
    before = (folder / "secret_key").read_text()
    assert secrets_write(folder) == ["metrics_token"]
    assert (folder / "secret_key").read_text() == before
