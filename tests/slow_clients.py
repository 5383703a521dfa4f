"""Kinds of slow and endless clients."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Thread
from typing import Final
from urllib.request import Request, urlopen

HOST: Final = "127.0.0.1"
CLIENTS: Final = 50
#: Seconds between two bytes of a client.
PAUSE: Final = 0.1
#: Small, so that a response fills it.
_RECEIVE_BUFFER: Final = 4096
#: One response alone may fit in the buffers of the kernel.
_RESPONSES: Final = 4

_GET: Final = "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@dataclass(frozen=True)
class Kind:
    """A kind of slow client.

    Attributes
    ----------
    name : str
        Name of the kind.
    start : Callable[[str], bytes]
        What it sends first, for the path of a large file.
    writes, reads : bool
        Whether it then goes on to send, or to read, a byte at a time.
    """

    name: str
    start: Callable[[str], bytes]
    writes: bool = False
    reads: bool = False


def _closing(_large: str) -> bytes:
    return f"{_GET.format(path='/healthz')}Connection: close\r\n\r\n".encode()


def _headers(_large: str) -> bytes:
    return f"{_GET.format(path='/healthz')}X-Long: ".encode()


def _body(_large: str) -> bytes:
    return b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\n"


def _reading(large: str) -> bytes:
    return f"{_GET.format(path=large)}\r\n".encode() * _RESPONSES


def _pipelining(large: str) -> bytes:
    return f"{_GET.format(path=large)}\r\n".encode() * 80


def _kept_alive(_large: str) -> bytes:
    return f"{_GET.format(path='/healthz')}\r\n".encode()


def _silent(_large: str) -> bytes:
    return b""


KINDS: Final = (
    Kind("keeps a closed connection", _closing),
    Kind("sends headers byte by byte", _headers, writes=True),
    Kind("sends a body byte by byte", _body, writes=True),
    Kind("reads byte by byte", _reading, reads=True),
    Kind("pipelines and reads nothing", _pipelining),
    Kind("keeps a connection alive", _kept_alive),
    Kind("sends nothing", _silent),
)


@contextmanager
def slow_clients(port: int, large: str, *kinds: Kind) -> Iterator[None]:
    """Keep fifty clients of these kinds connected in this block."""
    with ExitStack() as open_sockets:
        clients: list[tuple[Kind, socket.socket]] = []
        for number in range(CLIENTS):
            kind = kinds[number % len(kinds)]
            client = open_sockets.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
            client.connect((HOST, port))
            client.sendall(kind.start(large))
            if kind.start in {_reading, _pipelining}:
                _await_response(client)
            client.setblocking(False)
            clients.append((kind, client))
        stop = Event()
        thread = Thread(target=_go_on, args=(clients, stop))
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def _await_response(client: socket.socket) -> None:
    """Wait briefly for the first byte, so that judges are not delayed by fifty simultaneous arrivals."""
    client.settimeout(1)
    with suppress(OSError):
        client.recv(1)


def _go_on(clients: list[tuple[Kind, socket.socket]], stop: Event) -> None:
    while not stop.wait(PAUSE):
        for kind, client in clients:
            with suppress(OSError):
                if kind.writes:
                    client.send(b"x")
                if kind.reads:
                    client.recv(1)


def seconds_of_requests(url: str, *, requests: int, timeout: float) -> list[float]:
    """Return the times of requests on new connections, sorted; a request without response counts as the timeout."""
    seconds = []
    for _number in range(requests):
        began = time.perf_counter()
        try:
            with urlopen(Request(url), timeout=timeout) as response:
                response.read()
            seconds.append(time.perf_counter() - began)
        except OSError:
            seconds.append(timeout)
    return sorted(seconds)


def percentile(seconds: list[float], percent: int) -> float:
    """Return a percentile of sorted times."""
    return seconds[min(len(seconds) - 1, len(seconds) * percent // 100)]
