"""Bundles that tests make, change and read."""

import io
import json
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command

from campaign.models import Task
from ranking.models import PublishedResult, ResultBundle
from ranking.pages.published.making import result_bundle_make
from ranking.selectors.published_results import bundle_bytes
from ranking.services.publishing.publish import result_publish

ROOT = Path(__file__).resolve().parents[3]


Command = Callable[..., "subprocess.CompletedProcess[str]"]


def bundled(task: Task, **chosen: Any) -> tuple[PublishedResult, bytes]:
    """Publish a test set; return its result and the bundle."""
    result = result_publish(task=task, by=None, **chosen)
    bundle = result_bundle_make(bundle=ResultBundle.objects.get(pk=result.pk))
    return result, b"".join(bundle_bytes(bundle))


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
