"""Take the path off under which a proxy offers Quintet (`URL_PREFIX`), where the proxy leaves it in place."""

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

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


def origin_and_path(address: str) -> tuple[str, str]:
    """Return the two parts of Quintet's address, `https://host/quintet/`, without slashes at their ends."""
    parts = urlsplit(address)
    return (f"{parts.scheme}://{parts.netloc}" if parts.netloc else address, parts.path.rstrip("/"))
