"""One password hash at a time in a process, so that people who sign in leave threads and processors to judges.

A hash is meant to be slow. The web server has four threads in a process; without this, four sign-ins at once
keep all of them, and a judge waits for seconds.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.hashers import Argon2PasswordHasher, PBKDF2PasswordHasher

WAIT_SECONDS = 0.3
RETRY_AFTER_SECONDS = 3

# One that has its turn and one that waits for it; two of the four threads are left whatever happens.
_places = threading.BoundedSemaphore(2)
_turn = threading.Lock()
_mine = threading.local()


class PasswordsBusyError(Exception):
    """Another password is being checked, and one more waits already."""


@contextmanager
def password_turn() -> Iterator[None]:
    """Hold this process's only turn at passwords; a thread that has it already goes on at once.

    Raises:
        PasswordsBusyError: somebody waits already, or the wait was longer than `WAIT_SECONDS`.
    """
    if getattr(_mine, "turn", False):
        yield
        return
    if not _places.acquire(blocking=False):
        raise PasswordsBusyError
    try:
        if not _turn.acquire(timeout=WAIT_SECONDS):
            raise PasswordsBusyError
        _mine.turn = True
        try:
            yield
        finally:
            _mine.turn = False
            _turn.release()
    finally:
        _places.release()


class OneAtATimeArgon2(Argon2PasswordHasher):
    """Argon2id in its turn, with 19 MiB and one thread: a seventh of the processor time of PBKDF2."""

    time_cost = 2
    memory_cost = 19_456
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        """Return the encoded hash."""
        with password_turn():
            encoded: str = super().encode(password, salt)
            return encoded

    def verify(self, password: str, encoded: str) -> bool:
        """Return whether the password is that of the encoded hash."""
        with password_turn():
            return super().verify(password, encoded)


class OneAtATimePBKDF2(PBKDF2PasswordHasher):
    """Check passwords that were set before Argon2, in their turn; a right one is stored anew."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        """Return the encoded hash."""
        with password_turn():
            return super().encode(password, salt, iterations)
