"""A disk without space, for the files that this process writes."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def full_disk() -> Iterator[None]:
    """Make all writes fail as on a full disk; files can still be created, moved and removed."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
