"""Containers run what was chosen, and may do no more than they need."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.queues import QUEUES
from launcher.data_directory import CHECKOUT
from tests.containers import image_files

COMPOSE: dict[str, Any] = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OWN = "quintet"


@pytest.mark.parametrize("name", SERVICES)
class TestEachContainer:
    def test_writes_to_its_volumes_alone(self, name: str) -> None:
        assert SERVICES[name]["read_only"] is True

    def test_has_no_rights_and_gains_none(self, name: str) -> None:
        service = SERVICES[name]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert not {"cap_add", "privileged", "pid", "network_mode"} & service.keys()

    def test_is_not_root(self, name: str) -> None:
        user, group = map(int, f"{SERVICES[name]['user']}:1".split(":")[:2])
        assert user > 0
        assert group > 0

    def test_is_told_secrets_by_the_names_of_files_that_it_is_given(
        self,
        name: str,
    ) -> None:
        service = SERVICES[name]
        told = service.get("environment", {})
        files = {
            value for variable, value in told.items() if variable.endswith("_FILE")
        }
        assert files == {f"/run/secrets/{each}" for each in service.get("secrets", [])}
        for variable, value in told.items():
            if re.search("(PASSWORD|SECRET|TOKEN|SECRET_KEY)(_FILE)?$", variable):
                of_operator = value == f"${{{variable}:-}}"
                assert variable.endswith("_FILE") or of_operator, variable
            assert not re.search(r"://[^/@]*:[^/@]*@", value), variable


def test_the_image_can_read_its_files_whatever_the_umask_of_the_clone(
    tmp_path: Path,
) -> None:
    """elie222/rakazo#355, guillaumemeyer/watermarks-remover#131: web and workers ended with EACCES."""
    lines = (CHECKOUT / "Dockerfile").read_text().splitlines()
    first = next(
        line for line in lines[lines.index("COPY . .") :] if line.startswith("RUN ")
    )
    folder = tmp_path / "config"
    folder.mkdir(mode=0o700)
    file = folder / "settings.py"
    file.touch(mode=0o600)
    subprocess.run(["sh", "-c", first.removeprefix("RUN ")], cwd=tmp_path, check=True)
    assert file.stat().st_mode & 0o004
    assert folder.stat().st_mode & 0o005 == 0o005


def test_the_owners_password_is_for_the_database_and_for_migrations() -> None:
    told = {
        name
        for name, service in SERVICES.items()
        if "postgres_password" in str(service)
    }
    assert told == {"postgres", "migrate"}


def test_the_application_is_not_the_owner_of_its_tables() -> None:
    addresses = {
        name: service["environment"]["DATABASE_URL"]
        for name, service in SERVICES.items()
        if service["image"] == OWN
    }
    assert len(addresses) >= 4
    assert all(
        address.startswith("postgresql://quintet_app@")
        for address in addresses.values()
    )


def test_the_workers_serve_every_queue_once() -> None:
    served = [
        queue
        for name, service in SERVICES.items()
        if name.startswith("worker-")
        for option in service["command"]
        if option.startswith("--queues=")
        for queue in option.removeprefix("--queues=").split(",")
    ]
    assert sorted(served) == sorted(QUEUES)


# What a container runs: the web server, workers with every task, each command.
STARTS = """
import django
from django.core.management import get_commands, load_command_class
django.setup()
import config.wsgi
from config.celery import app
app.loader.import_default_modules()
for name, application in get_commands().items():
    load_command_class(application, name)
"""


#: What operators and editors leave in a checkout.
LEFT_BEHIND = (
    ".env", ".env.production", "web.env", "secrets/secret_key", "certificates/cert.pem", "key.pem", "tls.key",
    "cert.crt", "store.p12", "id_rsa", ".ssh/id_ed25519", ".git/config", ".pgpass", ".netrc", "db.sqlite3", "db.sqlite",
    "quintet.dump", "web.log", "settings.py~", ".settings.py.swp", "settings.py.bak", "settings.py.orig", "#settings.py#",
    ".DS_Store", ".idea/workspace.xml", "__pycache__/settings.cpython-312.pyc",
)  # fmt: skip


def files_write(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def test_no_secret_enters_the_image_from_any_folder(tmp_path: Path) -> None:
    folders = {
        path.rpartition("/")[0].partition("/")[0] or "."
        for path in image_files(CHECKOUT)
    }
    assert {".", "config", "deploy", "campaign"} <= folders
    for folder in folders:
        files_write(tmp_path / folder, LEFT_BEHIND)
        files_write(tmp_path / folder / "inner" / "most", LEFT_BEHIND)
    assert image_files(tmp_path) == set()


def test_the_image_is_given_the_sources_and_nothing_beside_them(tmp_path: Path) -> None:
    sources = {
        "manage.py",
        "LICENSE",
        "requirements/base.txt",
        "config/settings.py",
        "static/judge/a.js",
    }
    others = {
        "README.md",
        "tests/conftest.py",
        ".quintet/secret",
        "requirements/base.in",
        "node_modules/a.js",
    }
    files_write(tmp_path, sources | others)
    assert image_files(tmp_path) == sources


def test_no_source_is_kept_from_the_image() -> None:
    given = image_files(CHECKOUT)
    # Of requirements/, the pinned ones are enough.
    folders = {path.partition("/")[0] for path in given} - {"requirements"}
    listing = subprocess.run(
        ["git", "ls-files", *folders],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert set(listing.stdout.splitlines()) - given == set()


@pytest.mark.thorough
def test_image_has_all_settings_to_start(tmp_path: Path) -> None:
    for name in image_files(CHECKOUT):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        # No links: whoever asks where their file lies must not find the checkout.
        shutil.copy(CHECKOUT / name, place)
    environment = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SECRET_KEY": "build",
        "DATABASE_URL": "postgresql:///build",
        "REDIS_URL": "redis://localhost",
        "PATH": os.environ["PATH"],
    }
    subprocess.run(
        [sys.executable, "-c", STARTS],
        cwd=tmp_path,
        env=environment,
        check=True,
        timeout=300,
    )
