"""Stop signals as a flag that the supervisor reads, instead of an exception at any point."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType, TracebackType

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequest:
    """Whether a stop was requested, and how urgently.

    Attributes:
        made: Ctrl-C, SIGTERM or SIGHUP arrived.
        urgent: a second one arrived: kill instead of waiting.
    """

    def __init__(self) -> None:
        self.made = False
        self.urgent = False
        self._reading = self._writing = -1

    def __enter__(self) -> StopRequest:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        os.set_blocking(self._reading, False)
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        for number in _STOP_SIGNALS:
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue  # started with nohup: meant to outlive its terminal
            signal.signal(number, self._ask)
        # Python only writes to the pipe for signals that have a handler of its own.
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.set_wakeup_fd(-1)
        for number in (*_STOP_SIGNALS, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.close(self._reading)
        os.close(self._writing)

    def wait(self, seconds: float) -> bool:
        """Sleep until a request is made, a child ends or the time is up; True when stopping."""
        if not self.made:
            ready, _, _ = select.select([self._reading], [], [], seconds)
            if ready:
                os.read(self._reading, 512)
        return self.made

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.urgent = self.made
        self.made = True
