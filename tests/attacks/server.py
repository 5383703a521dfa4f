"""The web server, alone and behind each proxy that is installed, while clients read nothing or ask for much.

    python -m tests.attacks.server [--quick]

It starts PostgreSQL, Valkey, the web server and the proxies for itself, prints a table and exits with 1 if somebody else's
page was delayed. Proxies: nginx as shipped, and Caddy, HAProxy and Apache as docs/operators.md says
(`apt-get install nginx-light caddy haproxy apache2`).
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

from launcher.data_directory import wait_until
from tests.attacks.proxied import HOST, NAME, Proxy, free_port
from tests.attacks.proxy import Figure, table_print
from tests.benchmarks.web_server import prepare_django, web_server, with_services
from tests.slow_clients import percentile

STATIC_ROOT = Path(tempfile.gettempdir()) / "quintet-attacks-static"
SECONDS: Final = 10.0
TIMEOUT: Final = 10.0
#: Of somebody else's page, on a machine that is otherwise quiet.
PROMISED: Final = 0.5
JUDGMENTS: Final = 60_000
MEGABYTE, FILE_MB = 1_000_000, 150
#: As a browser sends it that knows nothing of compression.
_HEADERS: Final = {"Host": NAME, "X-Forwarded-Proto": "https"}


@dataclass(frozen=True)
class Way:
    """A way to the web server: directly or through a proxy."""

    name: str
    port: int
    tls: ssl.SSLContext | None = None

    def socket(self, receive_buffer: int | None = None) -> socket.socket:
        """Return a connection."""
        plain = socket.socket()
        if receive_buffer is not None:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.settimeout(TIMEOUT)
        plain.connect((HOST, self.port))
        if self.tls is None:
            return plain
        return self.tls.wrap_socket(plain, server_hostname=NAME)

    def get(self, path: str) -> int:
        """Return the status of a page, requested on a connection of its own."""
        connection = http.client.HTTPConnection(NAME, self.port, timeout=TIMEOUT)
        connection.sock = self.socket()
        with contextlib.closing(connection):
            connection.request("GET", path, headers=_HEADERS)
            response = connection.getresponse()
            response.read()
            return response.status


@dataclass(frozen=True)
class World:
    """What there is to ask for."""

    large_file: str
    export: str
    kept_file: str
    judges: str
    token: str

    def request(self, method: str, path: str, body: bytes = b"") -> bytes:
        """Return a request of the organiser."""
        headers = {
            **_HEADERS,
            "Authorization": f"Token {self.token}",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
        }
        lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
        return f"{method} {path} HTTP/1.1\r\n{''.join(lines)}\r\n".encode() + body


def world_make() -> World:
    """Fill a campaign, keep a large exported file and collect the static files."""
    from django.core.management import call_command

    from campaign.models import Task
    from campaign.services.api_tokens import token_create
    from campaign.services.exported_files import exported_file_keep
    from tests.benchmarks.judging_server import make_campaign, store
    from tests.factories import make_organiser

    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    task_id, _tokens = make_campaign()
    store(task_id, JUDGMENTS)
    task = Task.objects.get(pk=task_id)
    organiser = make_organiser(task.test_set.campaign)
    file = exported_file_keep(
        task=task,
        content=(bytes([number]) * MEGABYTE for number in range(FILE_MB)),
        by=organiser,
        kind="counted",
        file_format="five-way-csv",
        name="counted.csv",
        until=1,
        watermark=1,
    )
    _token, key = token_create(user=organiser)
    files = [path for path in STATIC_ROOT.rglob("*") if path.suffix != ".gz"]
    largest = max(files, key=lambda path: path.stat().st_size)
    return World(
        large_file=f"/static/{largest.relative_to(STATIC_ROOT)}",
        export=f"/api/v1/tasks/{task_id}/exports/stream/?kind=judgments&file_format=jsonl",
        kept_file=f"/api/v1/tasks/{task_id}/exports/{file.pk}/content/",
        judges=f"/api/v1/campaigns/{task.test_set.campaign.slug}/judges/",
        token=key,
    )


def _pipelined(way: Way, world: World, held: ExitStack) -> None:
    """Six visitors pipeline requests and read nothing."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in _HEADERS.items())
    request = f"GET {world.large_file} HTTP/1.1\r\n{lines}\r\n".encode()
    for _number in range(6):
        held.enter_context(way.socket(4096)).sendall(request * 80)


def _exports(way: Way, world: World, held: ExitStack) -> None:
    """One account asks for twelve streamed exports and reads them."""
    for _number in range(12):
        _read(way.socket(), world.request("GET", world.export), held)


def _lists(way: Way, world: World, held: ExitStack) -> None:
    """One account sends ten lists of judges of 2 MB."""
    text = "name\n" + "a judge with a name\n" * 95_000
    body = b'{"dry_run": true, "list": "' + text.replace("\n", "\\n").encode() + b'"}'
    for _number in range(10):
        _read(way.socket(), world.request("POST", world.judges, body), held)


def _slow_reader(way: Way, world: World, held: ExitStack) -> None:
    """One account downloads a file of 150 MB six times at 100 kB a second."""
    request = world.request("GET", world.kept_file)
    for _number in range(6):
        _read(way.socket(65_536), request, held, pause=0.1, size=10_000)


def _large_unread(way: Way, world: World, held: ExitStack) -> None:
    """One account asks for a file of 150 MB six times and reads nothing."""
    for _number in range(6):
        connection = held.enter_context(way.socket(4096))
        connection.sendall(world.request("GET", world.kept_file))


ATTACKS: Final[dict[str, Callable[[Way, World, ExitStack], None]]] = {
    "6 pipelining, reading nothing": _pipelined,
    "12 streamed exports": _exports,
    "10 lists of 2 MB": _lists,
    "6 slow readers of 150 MB": _slow_reader,
    "6 readers of nothing of 150 MB": _large_unread,
}


def _read(
    connection: socket.socket,
    request: bytes,
    held: ExitStack,
    *,
    pause: float = 0,
    size: int = 65_536,
) -> None:
    """Send a request and read its response in a thread, until the attack ends."""
    ended = Event()

    def read() -> None:
        with connection, contextlib.suppress(OSError):
            connection.sendall(request)
            while not ended.wait(pause) and connection.recv(size):
                pass

    thread = Thread(target=read)
    thread.start()
    held.callback(thread.join)
    held.callback(ended.set)


def _seconds(way: Way, path: str) -> list[float]:
    """Return how long a page took, sorted; a request without a response took forever."""
    seconds = []
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        began = time.perf_counter()
        try:
            ok = way.get(path) == 200
        except OSError:
            ok = False
        seconds.append(time.perf_counter() - began if ok else TIMEOUT)
    return sorted(seconds)


def attack(way: Way, world: World) -> list[Figure]:
    """Return how long a visitor waits for a page while each attack runs."""
    figures = []
    for name, begin in {"nothing": lambda *_none: None, **ATTACKS}.items():
        with ExitStack() as held:
            begin(way, world, held)
            seconds = _seconds(way, "/sign-in/")
        middle, most = percentile(seconds, 50), percentile(seconds, 95)
        figures.append(
            Figure(
                f"{way.name}, {name}: p50 and p95 of a page",
                f"{1000 * middle:.0f} ms, {1000 * most:.0f} ms",
                f"p95 < {1000 * PROMISED:.0f} ms",
                most < PROMISED,
            ),
        )
    return figures


@contextmanager
def _nginx(port: int, folder: Path) -> Iterator[Way]:
    with Proxy(folder, upstreams=(f"{HOST}:{port}",)) as proxy:
        trust = ssl.create_default_context(cafile=str(folder / "cert.pem"))
        yield Way("nginx", proxy.https_port, trust)


def _caddy(port: int, own: int, folder: Path) -> list[str]:
    (folder / "Caddyfile").write_text(
        "{\n admin off\n auto_https off\n}\n"
        f":{own} {{\n bind {HOST}\n reverse_proxy {HOST}:{port} {{\n"
        "  header_up X-Forwarded-Proto https\n }\n}\n",
    )
    return [
        "caddy",
        "run",
        "--adapter",
        "caddyfile",
        "--config",
        str(folder / "Caddyfile"),
    ]


def _haproxy(port: int, own: int, folder: Path) -> list[str]:
    (folder / "haproxy.cfg").write_text(
        "defaults\n mode http\n timeout connect 5s\n timeout client 120s\n timeout server 120s\n"
        f"frontend quintet\n bind {HOST}:{own}\n option forwardfor\n"
        " http-request set-header X-Forwarded-Proto https\n default_backend web\n"
        f"backend web\n server web {HOST}:{port}\n",
    )
    return ["haproxy", "-db", "-q", "-f", str(folder / "haproxy.cfg")]


def _apache(port: int, own: int, folder: Path) -> list[str]:
    modules = [
        "mpm_event",
        "proxy",
        "proxy_http",
        "headers",
        "authz_core",
        "unixd",
    ]
    loaded = "".join(
        f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n"
        for name in modules
        if Path(f"/usr/lib/apache2/modules/mod_{name}.so").exists()
    )
    (folder / "apache.conf").write_text(
        f"ServerRoot {folder}\nServerName {NAME}\nListen {HOST}:{own}\nPidFile {folder}/pid\n"
        f"ErrorLog {folder}/error.log\nDefaultRuntimeDir {folder}\n{loaded}User nobody\nGroup nogroup\n"
        "ProxyPreserveHost On\nRequestHeader set X-Forwarded-Proto https\n"
        f"ProxyPass / http://{HOST}:{port}/\n",
    )
    return ["apache2", "-D", "FOREGROUND", "-f", str(folder / "apache.conf")]


_OTHERS: Final[dict[str, Callable[[int, int, Path], list[str]]]] = {
    "caddy": _caddy,
    "haproxy": _haproxy,
    "apache2": _apache,
}


@contextmanager
def _other(name: str, port: int, folder: Path) -> Iterator[Way]:
    own = free_port()
    command = _OTHERS[name](port, own, folder)
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(folder)}
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            env=environment,
        )
    way = Way(name, own)

    def answers() -> bool:
        with contextlib.suppress(OSError):
            return way.get("/healthz") == 200
        return False

    try:
        if not wait_until(answers, seconds=20):
            raise SystemExit(f"{name} did not start: {(folder / 'output').read_text()}")
        yield way
    finally:
        process.terminate()
        process.wait(timeout=20)


@contextmanager
def _ways(port: int, chosen: list[str]) -> Iterator[Iterator[Way]]:
    def ways(held: ExitStack) -> Iterator[Way]:
        for name in chosen:
            folder = Path(
                held.enter_context(tempfile.TemporaryDirectory(prefix="quintet-")),
            )
            folder.chmod(0o755)
            if name == "direct":
                yield Way(name, port)
            elif shutil.which(name) is None:
                sys.stdout.write(f"{name} is not installed: not tried.\n")
            elif name == "nginx":
                yield held.enter_context(_nginx(port, folder))
            else:
                yield held.enter_context(_other(name, port, folder))

    with ExitStack() as held:
        yield ways(held)


def main() -> int:
    """Attack each way; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ways", nargs="*", default=["direct", "nginx", *_OTHERS])
    ways: list[str] = parser.parse_args().ways
    with_services("tests.attacks.server")
    prepare_django(
        STATIC_HASHED="0",
        STATIC_ROOT=str(STATIC_ROOT),
        HTTPS="1",
        PROXIES="1",
        ALLOWED_HOSTS=f"{HOST},{NAME}",
    )
    world = world_make()
    figures: list[Any] = []
    for way in ways:
        # A web server of its own: what an attack left must not count against the next.
        with web_server() as (port, _process), _ways(port, [way]) as all_of_it:
            for each in all_of_it:
                figures += attack(each, world)
    table_print("slow readers and heavy requests", figures)
    return 0 if all(figure.held for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
