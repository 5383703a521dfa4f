"""A TCP proxy between judges and the web server that can be as bad as a network."""

import socket
import struct
import threading
import time
from contextlib import suppress
from enum import StrEnum

from tests.faults.server import HOST

CHUNK = 65536
LOOK_SECONDS = 0.2
DELAY_SECONDS = 0.8


class Weather(StrEnum):
    """How the network is."""

    FINE = "fine"
    DROPPING = "dropping"  # nothing arrives, and nobody is told
    HALF_CLOSED = (
        "half-closed"  # requests arrive, answers do not: the connection ends instead
    )
    DELAYED = "delayed"
    RESET = "reset"  # each connection is cut, as when an address changes


class Proxy:
    """Passes connections on to a port of this machine, as the weather allows."""

    def __init__(self, to_port: int) -> None:
        self.weather = Weather.FINE
        self._to_port = to_port
        self._closed = threading.Event()
        self._listening = socket.create_server((HOST, 0))
        self._listening.settimeout(LOOK_SECONDS)
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._closed.set()
        self._listening.close()

    def _accept(self) -> None:
        while not self._closed.is_set():
            with suppress(TimeoutError, OSError):
                client, _address = self._listening.accept()
                threading.Thread(
                    target=self._serve,
                    args=(client,),
                    daemon=True,
                ).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            server = socket.create_connection(
                (HOST, self._to_port),
                timeout=LOOK_SECONDS,
            )
            with server:
                client.settimeout(LOOK_SECONDS)
                up = threading.Thread(
                    target=self._pass_on,
                    args=(client, server, True),
                    daemon=True,
                )
                up.start()
                self._pass_on(server, client, False)
                up.join()

    def _pass_on(
        self,
        source: socket.socket,
        target: socket.socket,
        is_request: bool,
    ) -> None:
        """Move bytes one way until either side ends."""
        while not self._closed.is_set():
            if self.weather == Weather.RESET:
                _cut(source)
                _cut(target)
                return
            try:
                data = source.recv(CHUNK)
            except TimeoutError:
                continue
            except OSError:
                break
            if not data or not self._deliver(data, target, is_request):
                break
        for side in (source, target):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def _deliver(self, data: bytes, target: socket.socket, is_request: bool) -> bool:
        """Send bytes on, or lose them; return whether the connection goes on."""
        if self.weather == Weather.DROPPING:
            return True
        if self.weather == Weather.HALF_CLOSED and not is_request:
            return False
        if self.weather == Weather.DELAYED:
            time.sleep(DELAY_SECONDS)
        try:
            target.sendall(data)
        except OSError:
            return False
        return True


def _cut(side: socket.socket) -> None:
    """Close a connection so that the other end is told of a reset, not of an end."""
    with suppress(OSError):
        side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        side.close()
