"""Check for packages of the extras in pyproject.toml, which are not always installed."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Final

#: Modules imported from each extra.
_MODULES: Final = {
    "dask": "distributed",
    "errors": "sentry_sdk",
    "metrics": "sacrebleu",
    "numba": "numba",
    "parquet": "pyarrow",
    "png": "resvg_py",
    "s3": "boto3",
}


class ExtraMissingError(ImportError):
    """A package is not installed; the message explains how to install it."""


def has_extra(extra: str) -> bool:
    """Return whether the packages of an extra are installed."""
    try:
        return find_spec(_MODULES[extra]) is not None
    except (ImportError, ValueError):  # imports blocked by a program
        return False


def extra_require(extra: str, feature: str) -> None:
    """Raise ExtraMissingError if an extra is not installed.

    Parameters
    ----------
    extra : str
    feature : str
        What needs it, as the plural subject of a sentence: “Parquet files”.
    """
    if not has_extra(extra):
        raise ExtraMissingError(
            f"{feature} need the package {_MODULES[extra]}, which is not installed. {how_to_install(extra)}",
        )


def how_to_install(extra: str) -> str:
    """Return the command to install an extra for the running Quintet."""
    if "QUINTET_IMAGE" in os.environ:
        return (
            f"Build the image with it: docker compose build --build-arg EXTRAS={extra}"
        )
    if (Path(__file__).parents[1] / "Makefile").exists():
        return f"Install it with: make install EXTRAS={extra}"
    return f"Install it with: pip install 'quintet-ranking[{extra}]'"
