"""`make backup` and `make restore`: what was saved comes back, and nothing is overwritten unasked."""

import json
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg2
import pytest

from launcher.backup import Manifest
from launcher.data_directory import DataDirectory
from launcher.services import Services
from tests.integration.launcher.conftest import remember, remembered, working_in
from tests.integration.launcher.test_commands import launcher, served

pytestmark = pytest.mark.thorough


LOAD = """
import django; django.setup()
from demo.loading import _museum_load, _organiser
_museum_load(_organiser(), "A day at the museum")
"""
PYTHON = sys.executable
#: Of an operator who works with another server in this terminal.
OTHER_SERVER = {
    "PGHOST": "db.example.org",
    "PGPORT": "1",
    "PGUSER": "someone",
    "PGDATABASE": "elsewhere",
    "PGSERVICE": "elsewhere",
}


@pytest.fixture(scope="module")
def saved() -> Iterator[tuple[DataDirectory, Path]]:
    """A data folder with a judged and ranked campaign, and a backup of it, made beside variables of another server."""
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory(prefix="q-") as folder,
    ):
        for name in (
            "DATABASE_URL",
            "MIGRATION_DATABASE_URL",
            "REDIS_URL",
            "SECRET_KEY",
        ):
            patch.delenv(name, raising=False)
        place = Path(folder).resolve()
        place.chmod(0o711)
        directory = DataDirectory(place / "home")
        with Services(directory):
            pass
        manage = ("run", "--", PYTHON, "manage.py")
        for arguments in (
            (*manage, "migrate", "--noinput", "--verbosity=0"),
            ("run", "--", PYTHON, "-c", LOAD),
            ("backup", "--to", str(place / "backups")),
        ):
            done = launcher(directory, *arguments, **OTHER_SERVER)
            assert done.returncode == 0, done.stderr
        (backup,) = (place / "backups").iterdir()
        yield directory, backup
        for process in working_in(place):
            process.kill()


def rankings(directory: DataDirectory) -> str:
    """What `check_rankings` says of the rankings in a data folder; fails where one differs."""
    done = launcher(directory, "run", "--", PYTHON, "manage.py", "check_rankings")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class TestWhatABackupIs:
    def test_backup_lists_its_content_and_has_the_secret_key(
        self,
        saved: tuple[DataDirectory, Path],
    ) -> None:
        directory, backup = saved
        manifest = Manifest.read(backup)
        assert manifest.rows["annotation_judgment"] > 300
        assert manifest.rows["ranking_rankingrun"] > 5
        assert manifest.damaged(backup) == []
        assert (backup / "secret_key").read_text() == directory.secret_key()

    def test_backup_is_readable_by_its_owner_only(
        self,
        saved: tuple[DataDirectory, Path],
    ) -> None:
        _directory, backup = saved
        for path in (backup, backup / "quintet.dump", backup / "secret_key"):
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_campaign_comes_back_into_an_empty_folder_with_every_ranking_to_the_bit(
    saved: tuple[DataDirectory, Path],
    directory: DataDirectory,
) -> None:
    source, backup = saved
    restored = launcher(directory, "restore", str(backup))
    assert restored.returncode == 0, restored.stderr
    assert directory.secret_key() == source.secret_key()
    assert rankings(directory) == rankings(source)
    assert "differs" not in rankings(directory)
    with served(directory, "start") as (_process, said):
        # The first organiser is who it was: a folder without one would print a link to become it.
        assert "Quintet" in "".join(said)


class TestRefusing:
    @pytest.fixture
    def small(self, directory: DataDirectory) -> Path:
        """A backup of a database with one table, and this folder still has that database."""
        with Services(directory) as services:
            remember(services, "saved")
        done = launcher(directory, "backup", "--to", str(directory.path.parent / "b"))
        assert done.returncode == 0, done.stderr
        with Services(directory) as services:
            remember(services, "later")
        return next((directory.path.parent / "b").iterdir())

    def test_a_folder_in_use_is_not_overwritten_before_it_said_what_that_does(
        self,
        directory: DataDirectory,
        small: Path,
    ) -> None:
        refused = launcher(directory, "restore", str(small))
        assert refused.returncode == 1
        assert f"{directory.path} already has a database" in refused.stderr
        assert "Nothing was changed" in refused.stderr
        with Services(directory) as services:
            assert remembered(services)[0] == ["later", "saved"]

    def test_a_restore_that_fails_puts_back_what_was_there(
        self,
        directory: DataDirectory,
        small: Path,
    ) -> None:
        # A table by the name of one of ours, so that `migrate` fails.
        assert small.is_dir()
        with Services(directory) as services:
            owner = psycopg2.connect(services.environment["MIGRATION_DATABASE_URL"])
            with owner, owner.cursor() as cursor:
                cursor.execute("CREATE TABLE campaign_campaign (id integer)")
            owner.close()
        place = directory.path.parent / "c"
        assert launcher(directory, "backup", "--to", str(place)).returncode == 0
        (backup,) = place.iterdir()
        failed = launcher(directory, "restore", str(backup), "--yes")
        assert failed.returncode == 1
        assert "`manage.py migrate` failed" in failed.stderr
        with Services(directory) as services:
            assert remembered(services) == (["later", "saved"], ["later", "saved"])

    def test_restore_sets_existing_data_aside(
        self,
        directory: DataDirectory,
        small: Path,
    ) -> None:
        done = launcher(directory, "restore", str(small), "--yes")
        assert done.returncode == 0, done.stderr
        assert "set aside: " in done.stdout
        with Services(directory) as services:
            assert remembered(services)[0] == ["saved"]

    def test_a_damaged_backup_and_one_of_a_later_version_are_refused(
        self,
        directory: DataDirectory,
        small: Path,
    ) -> None:
        for name in ("quintet.dump", "secret_key"):
            content = (small / name).read_bytes()
            (small / name).write_bytes(content + b"x")
            refused = launcher(directory, "restore", str(small), "--yes")
            assert refused.returncode == 1
            assert name in refused.stderr
            (small / name).write_bytes(content)
        manifest = json.loads((small / "manifest.json").read_text())
        (small / "manifest.json").write_text(json.dumps(manifest | {"format": 2}))
        refused = launcher(directory, "restore", str(small), "--yes")
        assert "another version of Quintet" in refused.stderr
        with Services(directory) as services:
            assert remembered(services)[0] == ["later", "saved"]


class TestADatabaseOfOnesOwn:
    @pytest.fixture
    def server(self) -> Iterator[Callable[[str], dict[str, str]]]:
        """Make databases on a server that the launcher does not know; return what names one."""
        with tempfile.TemporaryDirectory(prefix="q-") as folder:
            Path(folder).chmod(0o711)
            with Services(DataDirectory(Path(folder).resolve() / "server")) as services:

                def make(name: str) -> dict[str, str]:
                    owner = services.environment["MIGRATION_DATABASE_URL"]
                    connection = psycopg2.connect(owner)
                    connection.autocommit = True
                    with connection.cursor() as cursor:
                        cursor.execute(f"CREATE DATABASE {name}")
                    connection.close()
                    return {
                        "MIGRATION_DATABASE_URL": owner.replace(
                            "/quintet?",
                            f"/{name}?",
                        ),
                        "DATABASE_URL": services.environment["DATABASE_URL"].replace(
                            "/quintet?",
                            f"/{name}?",
                        ),
                        "REDIS_URL": services.environment["REDIS_URL"],
                        "SECRET_KEY": "of-the-operator",
                    }

                yield make

    def test_backup_is_restored_into_an_empty_database_and_backed_up_again(
        self,
        saved: tuple[DataDirectory, Path],
        directory: DataDirectory,
        server: Callable[[str], dict[str, str]],
    ) -> None:
        source, backup = saved
        named = server("empty")
        restored = launcher(directory, "restore", str(backup), **named)
        assert restored.returncode == 0, restored.stderr
        assert "Set SECRET_KEY to the value in" in restored.stdout
        checked = launcher(
            directory,
            "run",
            "--",
            PYTHON,
            "manage.py",
            "check_rankings",
            **named,
        )
        assert (checked.returncode, checked.stdout) == (0, rankings(source))
        place = directory.path.parent / "b"
        again = launcher(directory, "backup", "--to", str(place), **named)
        assert again.returncode == 0, again.stderr
        manifest = Manifest.read(next(place.iterdir()))
        assert manifest.rows == Manifest.read(backup).rows
        full = launcher(directory, "restore", str(backup), **named)
        assert full.returncode == 1
        assert "never replaced" in full.stderr
