"""Bundles that tests make, change and read."""

import io
import json
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command
from django.db import transaction

from campaign.models import Task
from campaign.selectors.exported_files import exported_bytes
from ranking.models import PublishedResult
from ranking.pages.result_bundles import result_bundle_make
from ranking.services.published_results.publish import ResultChoices, result_publish

ROOT = Path(__file__).resolve().parents[3]


Command = Callable[..., "subprocess.CompletedProcess[str]"]


def published(task: Task, **chosen: Any) -> PublishedResult:
    """Publish a result; choices for its content, and arguments of `result_publish`, by name."""
    named = [field.name for field in fields(ResultChoices) if field.name in chosen]
    choices = ResultChoices(**{name: chosen.pop(name) for name in named})
    return result_publish(task=task, by=None, choices=choices, **chosen)


def bundled(task: Task, **chosen: Any) -> tuple[PublishedResult, bytes]:
    """Publish a test set; return its result and the bundle."""
    result = published(task, **chosen)
    made = result_bundle_make(result=PublishedResult.objects.get(pk=result.pk))
    return result, zip_of(made)


def zip_of(result: PublishedResult) -> bytes:
    """Return the bundle of a result, which is made."""
    assert result.bundle is not None
    return b"".join(exported_bytes(result.bundle))


def made_and_undone(result: PublishedResult) -> tuple[PublishedResult, bytes]:
    """Make the bundle of a result and take it back: what is made stays, and could not be made again."""
    with transaction.atomic():
        made = result_bundle_make(result=PublishedResult.objects.get(pk=result.pk))
        zipped = zip_of(made)
        transaction.set_rollback(True)
    return made, zipped


def files_of(zipped: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def told(path: Path, *arguments: str) -> tuple[int, str]:
    """Run `reproduce` here; return its exit status and what it prints, its error among it."""
    out = io.StringIO()
    try:
        call_command("reproduce", str(path), *arguments, stdout=out)
    except CommandError as error:
        return error.returncode, f"{out.getvalue()}{error}"
    return 0, out.getvalue()


def said(path: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Run `reproduce` here; return its exit status and its JSON."""
    status, text = told(path, *arguments, "--format", "json")
    found, _end = json.JSONDecoder().raw_decode(text)
    return status, found
