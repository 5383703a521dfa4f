"""Take the path off under which a proxy offers Quintet (`URL_PREFIX`), where the proxy leaves it in place."""

from collections.abc import Callable, Iterable
from typing import Any

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


def prefix_taken_off(application: Application, prefix: str) -> Application:
    """Return an application that also answers below the prefix, as many an ingress asks.

    No address of Quintet's begins with it twice, so that an address says by itself which kind of proxy asks.
    """
    if not prefix:
        return application

    def below(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == prefix or path.startswith(f"{prefix}/"):
            environ["PATH_INFO"] = path[len(prefix) :] or "/"
        return application(environ, start_response)

    return below
