"""The variables of the environment that set up Quintet: one table, which web server, workers, commands and launcher check.

    environment_check(os.environ)          refuse wrong values, by name
    environment_read(os.environ)["HTTPS"]  the value, or the default

The package imports neither Django nor the project, so that the launcher can use it.
"""

import sys

# Before any import that an older version lacks: web server, workers, commands and launcher import this package first.
if sys.version_info < (3, 11):  # noqa: UP036
    raise SystemExit(
        f"Quintet needs Python 3.11 or newer, but {sys.executable} is {sys.version.split()[0]}. "
        "What to do: run `make install PYTHON=/path/to/python3.11`, and then `./quintet`.",
    )

from environment.output import output_in_utf8
from environment.reading import (
    environment_check,
    environment_read,
    retired_variables_log,
)
from environment.secret_files import SECRETS
from environment.variables import VARIABLES, Variable

__all__ = [
    "SECRETS",
    "VARIABLES",
    "Variable",
    "environment_check",
    "environment_read",
    "output_in_utf8",
    "retired_variables_log",
]
