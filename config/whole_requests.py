"""gunicorn's threads, each given a request only when all of it has arrived.

gthread gives a connection to one of its threads at once, and that thread waits for the rest; four clients that
send half a request keep all four. Here a connection waits with the poller, which costs no thread, and its beginning
is looked at without taking it from the kernel. What has not arrived whole after `REQUEST_SECONDS` is dropped.
"""

import contextlib
import re
import selectors
import socket
import time
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

REQUEST_SECONDS = 30
# As much as every kernel keeps for a connection. No page of ours sends more at once.
KEPT_BY_KERNEL = 64 * 1024

_LENGTH = re.compile(
    rb"^content-length[ \t]*:[ \t]*(\d{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE
)
_ENCODED = re.compile(rb"^transfer-encoding[ \t]*:", re.IGNORECASE | re.MULTILINE)
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def bytes_wanted(start: bytes) -> int:
    """Return how many bytes must have arrived to go on: those of the whole request, as far as can be seen.

    Args:
        start: what has arrived, or the first `KEPT_BY_KERNEL` of it.
    """
    head, end, body = start.partition(b"\r\n\r\n")
    if not end:
        # gunicorn refuses a head as long as that.
        return len(start) + 1 if len(start) < KEPT_BY_KERNEL else len(start)
    lengths = _LENGTH.findall(head)
    if _ENCODED.search(head):
        # With a length as well it is refused. Without: the last chunk is empty.
        whole = lengths or body.endswith(b"0\r\n\r\n")
        return len(start) if whole else len(start) + 1
    return len(head) + len(end) + (int(lengths[0]) if lengths else 0)


class WholeRequestsWorker(ThreadWorker):  # type: ignore[misc]  # untyped
    """gthread, with connections that wait for the rest of a request outside its threads."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._large: Any = None  # the one connection whose large body a thread receives

    def accept(self, listener: Any) -> None:
        """Take a new connection, and wait for its request."""
        with contextlib.suppress(BlockingIOError, ConnectionAbortedError):
            client, address = listener.accept()
            self.nr_conns += 1
            self._wait_for(TConn(self.cfg, client, address, listener.getsockname()))

    def on_client_socket_readable(self, conn: Any, client: Any) -> None:
        """Go on with a kept-alive connection on which the next request begins."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._wait_for(conn)

    def on_pending_socket_readable(self, conn: Any, client: Any) -> None:
        """Give the request to a thread if it is whole by now."""
        wanted = self._still_wanted(conn)
        if wanted > KEPT_BY_KERNEL and self._large is not None:
            self.poller.unregister(client)
            self.pending_conns.remove(conn)
            self._refuse(conn)
        elif wanted == 0 or wanted > KEPT_BY_KERNEL:
            if wanted:
                self._large = conn
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
            super().on_pending_socket_readable(conn, client)

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Keep or close the connection, as gthread does."""
        if conn is self._large:
            self._large = None
        super().finish_request(conn, fs)

    def _keepalive_after(self, conn: Any, keepalive: Any) -> bool:
        # The beginning of another request that came along would be waited for in a thread.
        again = super()._keepalive_after(conn, keepalive)
        return bool(again) and not conn.parser.unreader.buf.getvalue()

    def _wait_for(self, conn: Any) -> None:
        conn.timeout = time.monotonic() + REQUEST_SECONDS
        self.pending_conns.append(conn)
        ready = partial(self.on_pending_socket_readable, conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, ready)
        # Most have arrived by now, and need not wait for the next turn of the poller.
        self.on_pending_socket_readable(conn, conn.sock)

    def _still_wanted(self, conn: Any) -> int:
        """Return 0 if the request is whole or the client has gone, the bytes of all of it otherwise."""
        try:
            start = conn.sock.recv(KEPT_BY_KERNEL, socket.MSG_PEEK)
        except BlockingIOError:
            return 1
        except OSError:
            return 0
        wanted = bytes_wanted(start)
        if not start or wanted <= len(start):
            return 0
        if wanted <= KEPT_BY_KERNEL:
            # The poller is to say nothing before that many are there.
            conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, wanted)
        return wanted

    def _refuse(self, conn: Any) -> None:
        with contextlib.suppress(OSError):
            conn.sock.send(_BUSY)
        self.nr_conns -= 1
        conn.close()
