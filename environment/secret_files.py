"""Read secrets from files named in the environment, as in containers: `SECRET_KEY_FILE` for `SECRET_KEY`.

This is done once, before anything else in the process reads the environment.
"""

from collections.abc import MutableMapping
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit, urlunsplit

#: Settings that may be read from a file: passwords, keys, and addresses that contain one.
SECRETS: Final = (
    "SECRET_KEY",
    "SECRET_KEY_FALLBACK",
    "DATABASE_URL",
    "DATABASE_PASSWORD",
    "MIGRATION_DATABASE_URL",
    "MIGRATION_DATABASE_PASSWORD",
    "REDIS_URL",
    "EMAIL_URL",
    "OIDC_CLIENT_SECRET",
    "METRICS_TOKEN",
    "SENTRY_DSN",
    # May contain keys of the storage.
    "EXPORT_STORAGE_OPTIONS",
    "MEDIA_STORAGE",
)
_PASSWORDS: Final = {
    "DATABASE_URL": "DATABASE_PASSWORD",
    "MIGRATION_DATABASE_URL": "MIGRATION_DATABASE_PASSWORD",
}


def secrets_read(environment: MutableMapping[str, str]) -> None:
    """Read secrets from named files into the environment, and insert passwords into their addresses.

    Line breaks at the end of a file are ignored, and a byte order mark, except in passwords: the container of
    PostgreSQL reads the same file, and keeps it.

    Raises
    ------
    SystemExit
        A file cannot be read, or a setting is given both ways.
    """
    for name in SECRETS:
        path = environment.get(f"{name}_FILE", "").strip()
        if not path:
            continue
        if environment.get(name):
            raise SystemExit(f"{name} and {name}_FILE are both set. Set one of them.")
        if name in _PASSWORDS.values():
            encoding = "utf-8"
        else:
            encoding = "utf-8-sig"
        try:
            environment[name] = Path(path).read_text(encoding=encoding).rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise SystemExit(
                f"{name}_FILE is {path}, which cannot be read: {error}",
            ) from error
        # Child processes receive only the value, not the file name as well.
        del environment[f"{name}_FILE"]
    for url, password in _PASSWORDS.items():
        # Removed, since a child process already finds the address with the password.
        if (secret := environment.pop(password, "")) and environment.get(url):
            environment[url] = _url_with_password(environment[url], secret)


def _url_with_password(url: str, password: str) -> str:
    """Return the address with this password, which may contain any characters."""
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    return urlunsplit(
        parts._replace(netloc=f"{name}:{quote(password, safe='')}@{host}"),
    )
