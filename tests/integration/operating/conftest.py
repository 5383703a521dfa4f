"""PostgreSQL and Valkey for the processes of containers, and a service that takes reports of errors."""

import http.server
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from gzip import decompress
from pathlib import Path
from typing import Any

import brotli
import pytest

from launcher.data_directory import CHECKOUT, DataDirectory
from launcher.services import Services
from tests.containers import World, of_chart, of_compose


@pytest.fixture(scope="module")
def world(static_files: Path) -> Iterator[World]:
    """After the migration that both files describe; with static files as the image has them."""
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory(prefix="q-") as name,
    ):
        for variable in ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL"):
            patch.delenv(variable, raising=False)
        folder = Path(name).resolve()
        folder.chmod(0o711)
        (folder / "secrets").mkdir()
        with Services(DataDirectory(folder / "home"), durable=False) as services:
            made = World(services, folder / "secrets")
            (folder / "secrets" / "static").symlink_to(static_files)
            for process in (of_compose("migrate"), of_chart("quintet-migrate", {})):
                done = subprocess.run(
                    process.command,
                    env=made.environment(process),
                    cwd=CHECKOUT,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, done.stderr
            yield made


@pytest.fixture
def service() -> Iterator[tuple[str, list[bytes]]]:
    """A service that speaks Sentry's protocol: its address, and what it was sent."""
    sent: list[bytes] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            unpack = {"gzip": decompress, "br": brotli.decompress}
            sent.append(unpack[self.headers["Content-Encoding"]](body))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_arguments: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(
            target=server.serve_forever,
            kwargs={"poll_interval": 0.01},
            daemon=True,
        ).start()
        yield f"http://key@127.0.0.1:{server.server_port}/1", sent
        server.shutdown()
