"""The real router, where nginx is installed: `deploy.cells` makes its configuration."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cells.cell_map import CellMap
from deploy.cells import configuration
from launcher.waiting import wait_until
from tests.cells.router import HOST

# `QUINTET_NGINX` names it where it is elsewhere.
NGINX = os.environ.get("QUINTET_NGINX") or shutil.which("nginx")

_AROUND = """pid {folder}/pid;
error_log {folder}/error.log;
worker_processes 1;
events {{}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/cells.conf;
}}
"""


class Nginx:
    """nginx with the configuration of a map of cells; `reload` reads the map again."""

    def __init__(self, folder: Path, cell_map: Path) -> None:
        self._folder, self._map = folder, cell_map
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port = int(free.getsockname()[1])
        (folder / "nginx.conf").write_text(_AROUND.format(folder=folder))
        self._configure()
        self._run("-g", "daemon on;")
        assert wait_until(self._answers, seconds=10)

    def reload(self) -> None:
        self._configure()
        self._run("-s", "reload")

    def stop(self) -> None:
        self._run("-s", "stop")

    def _configure(self) -> None:
        text = configuration(CellMap.read(self._map), f"{HOST}:{self.port}")
        (self._folder / "cells.conf").write_text(text)

    def _run(self, *arguments: str) -> None:
        assert NGINX is not None
        named = ["-p", str(self._folder), "-c", str(self._folder / "nginx.conf")]
        log = ["-e", str(self._folder / "error.log")]
        subprocess.run([NGINX, *log, *named, *arguments], check=True)

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((HOST, self.port)) == 0


@contextmanager
def nginx(folder: Path, cell_map: Path) -> Iterator[Nginx]:
    """Run nginx over a map."""
    running = Nginx(folder, cell_map)
    try:
        yield running
    finally:
        running.stop()
