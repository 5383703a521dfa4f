"""`python3 -m deploy.secret_files`: files that docker-compose.yml reads; nothing that was there is lost."""

import stat
from pathlib import Path

import pytest
import yaml

from config.environment import SECRETS
from deploy.secret_files import FILES, SecretsError, Written, secrets_write
from launcher.data_directory import CHECKOUT

COMPOSE = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "secrets"


def write(folder: Path, **environment: str) -> Written:
    return secrets_write(folder=folder, env=folder.parent / ".env", environment=environment)


def env(folder: Path, text: str) -> Path:
    path = folder.parent / ".env"
    path.write_text(text)
    path.chmod(0o640)
    return path


def value(folder: Path, name: str) -> str:
    return (folder / name).read_text()


def test_they_are_those_that_the_compose_file_reads_from_its_folder() -> None:
    read = {
        name
        for name, secret in COMPOSE["secrets"].items()
        if secret["file"].startswith("${SECRETS:-./secrets}/")
    }
    assert FILES.keys() == read
    assert "metrics_token" in FILES
    assert FILES["metrics_token"] in SECRETS


def test_each_is_random_and_for_its_reader_alone(folder: Path) -> None:
    assert write(folder) == Written(made=list(FILES))
    values = [value(folder, name) for name in FILES]
    assert len(set(values)) == len(FILES)
    assert all(len(each) == 65 for each in values)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in FILES} == {0o444}
    assert not (folder.parent / ".env").exists()


def test_a_second_time_nothing_changes(folder: Path) -> None:
    write(folder)
    (folder / "metrics_token").unlink()
    before = value(folder, "secret_key")
    assert write(folder) == Written(
        kept=[name for name in FILES if name != "metrics_token"], made=["metrics_token"]
    )
    assert value(folder, "secret_key") == before


def test_values_of_an_earlier_version_move_and_the_rest_of_the_file_stays(folder: Path) -> None:
    path = env(
        folder,
        "# ours\nSECRET_KEY='a$b # c'\nHTTPS=1\nexport POSTGRES_PASSWORD=owner\n"
        'APPLICATION_PASSWORD = "app"\r\nSECRET_KEY_FILE=/x\n',
    )
    written = write(folder)
    assert written.made == ["metrics_token"]
    assert value(folder, "secret_key") == "a$b # c\n"
    assert value(folder, "postgres_password") == "owner\n"
    assert value(folder, "application_password") == "app\n"
    assert path.read_text() == "# ours\nHTTPS=1\nSECRET_KEY_FILE=/x\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(each.name for each in folder.parent.iterdir()) == [".env", "secrets"]


def test_the_environment_goes_before_the_file_as_for_docker(folder: Path) -> None:
    env(folder, "SECRET_KEY=of-the-file\n")
    assert write(folder, SECRET_KEY="of-the-shell").moved == {"secret_key": "the environment"}
    assert value(folder, "secret_key") == "of-the-shell\n"


@pytest.mark.parametrize("line", ["SECRET_KEY=a$b", 'SECRET_KEY="a\\nb"', "SECRET_KEY=a # why"])
def test_what_docker_would_read_otherwise_is_refused(folder: Path, line: str) -> None:
    path = env(folder, f"{line}\n")
    with pytest.raises(SecretsError, match="SECRET_KEY"):
        write(folder)
    assert not folder.exists()
    assert path.read_text() == f"{line}\n"


def test_a_file_that_says_something_else_is_never_overwritten(folder: Path) -> None:
    write(folder)
    path = env(folder, "POSTGRES_PASSWORD=another\n")
    before = value(folder, "postgres_password")
    with pytest.raises(SecretsError, match="differs"):
        write(folder)
    assert value(folder, "postgres_password") == before
    assert path.read_text() == "POSTGRES_PASSWORD=another\n"
