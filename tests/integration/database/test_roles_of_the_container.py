"""The script that PostgreSQL's container runs makes the role that the application connects as."""

import os
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg2
import pytest

from launcher import services as launched
from launcher.data_directory import CHECKOUT, DataDirectory
from launcher.processes import ProcessRegistry

pytestmark = pytest.mark.thorough


def run_script(postgres: launched.Postgres, password: str) -> None:
    sockets = parse_qs(urlsplit(postgres.owner_url).query)["host"][0]
    path = f"{launched.wheel_folder() / 'bin'}:{os.environ['PATH']}"
    file = postgres.folder.parent / "application_password"
    file.write_text(f"{password}\n")
    told = {
        "POSTGRES_USER": launched.OWNER,
        "POSTGRES_DB": launched.DATABASE,
        "APPLICATION_PASSWORD_FILE": str(file),
        "PGHOST": sockets,
    }
    script = str(CHECKOUT / "docker" / "roles.sh")
    subprocess.run(["sh", script], env={**os.environ, **told, "PATH": path}, check=True)


def test_the_role_is_there_whether_the_script_ran_before_or_not() -> None:
    with tempfile.TemporaryDirectory(prefix="quintet-roles-") as folder:
        Path(folder).chmod(0o711)
        directory = DataDirectory(Path(folder).resolve() / "home")
        directory.create()
        registry = ProcessRegistry(directory.path / "processes.json")
        postgres = launched.Postgres(directory, registry, durable=False)
        try:
            postgres.start()
            with (
                closing(psycopg2.connect(postgres.owner_url)) as owner,
                owner.cursor() as cursor,
            ):
                cursor.execute("DROP ROLE quintet_app")
                owner.commit()
                for password in ("first", "it's another"):
                    run_script(postgres, password)
                cursor.execute(
                    "SELECT rolcanlogin, rolsuper, rolcreatedb, rolcreaterole, rolreplication, "
                    "rolbypassrls, rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid "
                    "WHERE rolname = 'quintet_app'",
                )
                assert cursor.fetchone() == (
                    True,
                    False,
                    False,
                    False,
                    False,
                    False,
                    True,
                )
        finally:
            postgres.stop()
            postgres.remove_sockets()
