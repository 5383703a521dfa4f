"""Check and read the variables of the environment."""

import logging
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from environment.secret_files import secrets_read
from environment.variables import RETIRED, VARIABLES, Variable
from optional_packages import has_extra, how_to_install

Values = Mapping[str, Any]

logger = logging.getLogger(__name__)


def environment_check(environment: MutableMapping[str, str]) -> None:
    """Read secrets from files, strip values, and refuse wrong ones; missing variables are not refused.

    Raises
    ------
    SystemExit
        Values are wrong; the message lists all of them.
    """
    secrets_read(environment)
    _strip(environment)
    _values, problems = _parse_variables(environment)
    _refuse(problems)


def environment_read(environment: Mapping[str, str]) -> Values:
    """Return the values of all variables by name.

    Optional ones without a default are empty texts.

    Raises
    ------
    SystemExit
        Values are wrong or missing; the message lists all of them.
    """
    values, problems = _parse_variables(environment)
    missing = [
        f"{variable.name} is not set. It must be {variable.valid}. Example: {variable.name}={variable.example}"
        for variable in VARIABLES
        if variable.is_required and not environment.get(variable.name)
    ]
    _refuse(missing + problems)
    return values


def retired_variables_log(environment: Mapping[str, str]) -> None:
    """Log a warning for each variable that an earlier version used."""
    for name in RETIRED:
        if environment.get(name):
            logger.warning("%s is set, but this version ignores it. Remove it.", name)


def _strip(environment: MutableMapping[str, str]) -> None:
    """Remove white space around values, such as the carriage returns of a file with Windows line endings."""
    for variable in VARIABLES:
        # Another secret key would end all sessions.
        if variable.name in environment and variable.name != "SECRET_KEY":
            environment[variable.name] = environment[variable.name].strip()


def _refuse(problems: list[str]) -> None:
    if problems:
        lines = "\n".join(f"  {problem}" for problem in problems)
        raise SystemExit(
            f"Quintet's settings are wrong; nothing was started or changed:\n{lines}\n"
            "docs/operators.md describes all settings.",
        )


def _parse_variables(
    environment: Mapping[str, str],
) -> tuple[dict[str, Any], list[str]]:
    """Return the values of all variables, and messages about those that are wrong."""
    values: dict[str, Any] = {}
    problems = []
    for variable in VARIABLES:
        value = environment.get(variable.name) or variable.default
        try:
            if value:
                values[variable.name] = variable.parse(value)
            else:
                values[variable.name] = ""
        except ValueError:
            problems.append(_problem(variable, value))
    if not problems:
        problems = list(_contradictions(values))
    return values, problems


def _problem(variable: Variable, value: str) -> str:
    if variable.is_secret:
        assignment = f"{variable.name} (value hidden)"
    else:
        assignment = f"{variable.name}={value}"
    return f"{assignment} must be {variable.valid}. Example: {variable.name}={variable.example}"


def _contradictions(values: Values) -> Iterator[str]:
    """Yield messages about valid values that contradict each other."""
    yield from _reversed_limits(values)
    yield from _incomplete_provider(values)
    yield from _unusable_storages(values)
    path = urlsplit(values["PUBLIC_ADDRESS"]).path.rstrip("/")
    if path and values["URL_PREFIX"] not in ("", path):
        yield (
            f"PUBLIC_ADDRESS has the path {path}, but URL_PREFIX is {values['URL_PREFIX']}. "
            "Set only one of them, or set both to the same path."
        )
    if values["SENTRY_DSN"] and not has_extra("errors"):
        yield f"SENTRY_DSN needs the package sentry-sdk, which is not installed. {how_to_install('errors')}"


def _reversed_limits(values: Values) -> Iterator[str]:
    for lower, upper in (
        ("TOKEN_DAYS", "TOKEN_MOST_DAYS"),
        ("POOL_MIN_HITS", "POOL_MAX_HITS"),
    ):
        if values[lower] > values[upper]:
            yield f"{lower}={values[lower]} must not be above {upper}={values[upper]}. Set both."


def _incomplete_provider(values: Values) -> Iterator[str]:
    names = ("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")
    missing = [name for name in names if not values[name]]
    if missing and len(missing) < len(names):
        yield f"{' and '.join(missing)} must be set, too, to sign in with OpenID Connect."


_S3 = "storages.backends.s3.S3Storage"


def _unusable_storages(values: Values) -> Iterator[str]:
    storage = values["EXPORT_STORAGE"]
    media = values["MEDIA_STORAGE"] or {}
    if values["EXPORT_STORAGE_OPTIONS"] and not storage:
        yield "EXPORT_STORAGE_OPTIONS is set, but EXPORT_STORAGE is not. Example: EXPORT_STORAGE=storages.backends.s3.S3Storage"
    if _S3 in {storage, media.get("BACKEND")} and not has_extra("s3"):
        yield f"The storage {_S3} needs the package boto3, which is not installed. {how_to_install('s3')}"
