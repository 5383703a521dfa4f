"""Remove the path of Quintet at a proxy (`URL_PREFIX`) from requests if the proxy does not remove it."""

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


def prefix_taken_off(application: Application, prefix: str) -> Application:
    """Return an application that also answers requests with the prefix, as many ingresses send them.

    No address of Quintet begins with the prefix, so both kinds of requests can be distinguished.
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
    """Return both parts of the address of Quintet, such as `https://host/quintet/`, without final slashes."""
    parts = urlsplit(address)
    return (
        f"{parts.scheme}://{parts.netloc}" if parts.netloc else address,
        parts.path.rstrip("/"),
    )
