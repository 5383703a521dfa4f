"""How logs are written: `LOG_FORMAT=console` for people, `LOG_FORMAT=json` for whatever gathers logs."""

from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

FORMATS: Final = ("console", "json")
# gunicorn's own loggers hand nothing on by themselves.
_OF_GUNICORN: Final = ("gunicorn.error", "gunicorn.access")


def logging_settings(*, log_format: str, level: str) -> dict[str, Any]:
    """Return what `logging.config.dictConfig` takes, for Django, workers, beat and gunicorn alike.

    Raises
    ------
    ImproperlyConfigured
        There is no such format.
    """
    if log_format not in FORMATS:
        raise ImproperlyConfigured(
            f"LOG_FORMAT is {log_format!r}; it may be: {', '.join(FORMATS)}."
        )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "console": {"()": "config.logs.formats.ConsoleFormatter"},
            "json": {"()": "config.logs.formats.json_formatter"},
        },
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": log_format},
            "errors": {"class": "config.logs.errors.ErrorCounter", "level": "ERROR"},
        },
        "root": {"handlers": ["console", "errors"], "level": level},
    }


def gunicorn_logging(*, log_format: str, level: str) -> dict[str, Any]:
    """Return the same, for gunicorn's loggers."""
    settings = logging_settings(log_format=log_format, level=level)
    logger = {"handlers": ["console", "errors"], "propagate": False, "level": level}
    return settings | {"loggers": dict.fromkeys(_OF_GUNICORN, logger)}
