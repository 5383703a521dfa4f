"""The variables of the environment that set up Quintet: one table, which web server, workers, commands and launcher check.

    environment_check(os.environ)          refuse wrong values, by name
    environment_read(os.environ)["HTTPS"]  the value, or the default

The package imports neither Django nor the project, so that the launcher can use it.
"""

from environment.reading import environment_check, environment_read
from environment.secret_files import SECRETS
from environment.variables import VARIABLES, Variable

__all__ = ["SECRETS", "VARIABLES", "Variable", "environment_check", "environment_read"]
