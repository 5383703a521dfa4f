"""All variables that operators may set, with their defaults. docs/operators.md explains what they do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from environment.values import (
    broker,
    choice,
    database,
    dsn,
    hosts,
    json_object,
    long_text,
    mail_server,
    origins,
    prefix,
    public_address,
    sender,
    storage,
    storage_class,
    text,
    time_zone,
    truth,
    web_address,
    whole,
)


@dataclass(frozen=True)
class Variable:
    """A variable of the environment.

    Attributes
    ----------
    name : str
    parse : Callable[[str], Any]
        Returns the value of a text that is not empty, or raises ValueError.
    valid : str
        Description of valid values, which continues "must be".
    example : str
        A valid value.
    default : str
        Value if the variable is not set or empty; an empty one is not parsed.
    is_required : bool
        True if there is no default.
    is_secret : bool
        True if no message may show the value.
    is_internal : bool
        True for variables that the launcher or developers set, and not operators.
    """

    name: str
    parse: Callable[[str], Any]
    valid: str
    example: str
    default: str = ""
    is_required: bool = False
    is_secret: bool = False
    is_internal: bool = False


def _switch(name: str, *, default: str = "0", is_internal: bool = False) -> Variable:
    return Variable(name, truth, "1 or 0", "1", default, is_internal=is_internal)


def _number(
    name: str,
    *,
    default: str,
    least: int,
    most: int | None = None,
) -> Variable:
    if most is None:
        limits = f"at least {least}"
    else:
        limits = f"from {least} to {most}"
    return Variable(
        name,
        whole(least, most),
        f"a whole number, {limits}",
        default,
        default,
    )


def _days(name: str, *, default: str, least: int = 1) -> Variable:
    # A hundred years. Dates end in the year 9999.
    return _number(name, default=default, least=least, most=36_500)


_DATABASE: Final = "the address of a PostgreSQL database; percent-encode special characters of its password"
_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

VARIABLES: Final = (
    # Services and keys
    Variable(
        "DATABASE_URL",
        database,
        _DATABASE,
        "postgresql://quintet_app:password@host:5432/quintet",
        is_required=True,
        is_secret=True,
    ),
    Variable(
        "MIGRATION_DATABASE_URL",
        database,
        _DATABASE,
        "postgresql://quintet:password@host:5432/quintet",
        is_secret=True,
    ),
    _number("CONN_MAX_AGE", default="600", least=0),
    Variable(
        "REDIS_URL",
        broker,
        "the address of a Valkey or Redis; percent-encode special characters of its password",
        "redis://host:6379/0",
        is_required=True,
        is_secret=True,
    ),
    Variable(
        "SECRET_KEY",
        text,
        "a long random string",
        "$(openssl rand -hex 32)",
        is_required=True,
        is_secret=True,
    ),
    Variable(
        "SECRET_KEY_FALLBACK",
        text,
        "the previous value of SECRET_KEY",
        "the value that SECRET_KEY had",
        is_secret=True,
    ),
    # Addresses and proxies
    Variable(
        "PUBLIC_ADDRESS",
        public_address,
        "an address that begins with https:// or http://, with or without a path",
        "https://campaign.example.org",
    ),
    Variable(
        "ASSUMED_ADDRESS",
        web_address,
        "an address that begins with https:// or http://",
        "http://127.0.0.1:8000",
        "http://127.0.0.1:8000",
        is_internal=True,
    ),
    Variable(
        "ALLOWED_HOSTS",
        hosts,
        "host names separated by commas, without scheme, port and path",
        "campaign.example.org",
        "127.0.0.1,localhost,[::1]",
    ),
    Variable(
        "CSRF_TRUSTED_ORIGINS",
        origins,
        "addresses separated by commas, with scheme and without path",
        "https://campaign.example.org",
    ),
    _switch("HTTPS"),
    _number("PROXIES", default="0", least=0),
    Variable("URL_PREFIX", prefix, "a path that begins with a slash", "/quintet"),
    # Processes and files
    _number("WEB_CONCURRENCY", default="1", least=1),
    Variable(
        "CELERY_WORKER_POOL",
        choice("prefork", "threads", "solo"),
        "prefork, threads or solo",
        "prefork",
    ),
    Variable("CELERY_WORKER_CONCURRENCY", whole(1), "a whole number, at least 1", "4"),
    Variable("STATIC_ROOT", text, "a folder", "/srv/static", "staticfiles"),
    _switch("STATIC_HASHED", default="", is_internal=True),
    Variable("NUMBA_CACHE_DIR", text, "a folder", "/var/cache/quintet"),
    Variable("BEAT_ALIVE", text, "a file", "/tmp/beat"),  # noqa: S108  an example
    Variable(
        "TIME_ZONE",
        time_zone,
        "a time zone of the IANA database",
        "Europe/Prague",
        "UTC",
    ),
    _switch("DEBUG", is_internal=True),
    # Work
    _number("UPLOAD_MAX_BYTES", default="1000000000", least=1),
    Variable(
        "EXPORT_STORAGE",
        storage_class,
        "the path of a class in an installed package",
        "storages.backends.s3.S3Storage",
    ),
    Variable(
        "EXPORT_STORAGE_OPTIONS",
        json_object,
        "a JSON object",
        '{"bucket_name": "exports"}',
        is_secret=True,
    ),
    Variable(
        "MEDIA_STORAGE",
        storage,
        "a JSON object with BACKEND, the path of a class in an installed package, and OPTIONS",
        '{"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": {"bucket_name": "media"}}',
        is_secret=True,
    ),
    _number("API_READS_A_MINUTE", default="1200", least=0),
    _number("API_WRITES_A_MINUTE", default="600", least=0),
    _number("POOL_MIN_HITS", default="200", least=1),
    _number("POOL_MAX_HITS", default="10000", least=1),
    _switch("WEBHOOKS_ALLOW_PRIVATE"),
    _switch("WEBHOOKS_ALLOW_HTTP"),
    # Mail
    Variable(
        "EMAIL_URL",
        mail_server,
        "the address of a mail server without parameters; percent-encode special characters of its password, which must be ASCII",
        "smtp+tls://user:password@mail.example.org:587",
        "consolemail://",
        is_secret=True,
    ),
    Variable(
        "DEFAULT_FROM_EMAIL",
        sender,
        "an e-mail address",
        "quintet@example.org",
        "quintet@localhost",
    ),
    # People
    _days("BROWSER_VISITS_KEPT_DAYS", default="90", least=0),
    _days("JUDGE_LINK_DAYS", default="180"),
    _days("ORGANISER_LINK_DAYS", default="7"),
    _days("TOKEN_DAYS", default="365"),
    _days("TOKEN_MOST_DAYS", default="730"),
    _days("SESSION_DAYS", default="60"),
    _switch("SECOND_FACTOR_DEMANDED"),
    Variable(
        "OIDC_ISSUER",
        web_address,
        "an address that begins with https:// or http://",
        "https://id.example.org/realms/staff",
    ),
    Variable("OIDC_CLIENT_ID", text, "the ID that the provider assigned", "quintet"),
    Variable(
        "OIDC_CLIENT_SECRET",
        text,
        "the secret that the provider assigned",
        "$(cat client_secret)",
        is_secret=True,
    ),
    Variable("OIDC_NAME", text, "a label", "University", "OpenID Connect"),
    # Reports
    Variable(
        "LOG_LEVEL",
        choice(*_LEVELS),
        f"one of {', '.join(_LEVELS)}",
        "INFO",
        "INFO",
    ),
    Variable(
        "LOG_FORMAT",
        choice("console", "json"),
        "console or json",
        "json",
        "console",
    ),
    Variable(
        "METRICS_TOKEN",
        long_text(16),
        "at least 16 characters long",
        "$(openssl rand -hex 32)",
        is_secret=True,
    ),
    Variable(
        "SENTRY_DSN",
        dsn,
        "the address of a project, with its key",
        "https://key@sentry.example.org/1",
        is_secret=True,
    ),
)

#: Variables of earlier versions, which are ignored.
RETIRED: Final = ("REPLICA_URL", "REPLICA_URL_FILE", "ZENODO_UPLOADS")
