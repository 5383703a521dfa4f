"""Version of the code that computed a ranking."""

import os
from functools import cache

from version import package_version

_LONGEST = 60


@cache
def code_version() -> str:
    """Return the code version, such as ``0.2.0`` or ``0.2.1.dev5+g1a2b3c4d5e``, in at most 60 characters.

    ``QUINTET_CODE_VERSION``, set in images built without a repository, takes precedence. A work tree
    with uncommitted changes adds ``.dirty``. The version is read once per process.
    """
    stated = os.environ.get("QUINTET_CODE_VERSION", "").strip()
    return (stated or package_version())[:_LONGEST]
