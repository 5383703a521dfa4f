"""Make the frozen folder of a published result: its page, files and data, packed into one zip."""

import tempfile
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import override

from campaign.models import Job, JobKind
from campaign.services.jobs import JobProgress, handles
from campaign.texts.canonical_json import canonical
from ranking.export.bundles import (
    FrozenResult,
    Progress,
    designs_write,
    draws_write,
    frozen_result,
    judgments_write,
    left_out_write,
    parquet_write,
    texts_write,
)
from ranking.files.bundles import (
    CHECKSUMS,
    DESIGN,
    DRAWS,
    INDEX,
    JUDGMENTS,
    LEFT_OUT,
    METADATA,
    PARQUET,
    README,
    RUN,
    TEXTS,
)
from ranking.models import PublishedResult
from ranking.pages.published.page import frozen_in_words, published_page
from ranking.pages.published.versions import newer_version, version_lines
from ranking.reports.published import FOLDER, PublishedFile, bibtex_file
from ranking.reports.published.folder import BundleFile, checksums, crate, readme
from ranking.services.publishing.bundles import result_bundle_store
from ranking.services.publishing.naming import PublishingRefusedError

#: The style sheets of the page, as templates/base.html and templates/published/result.html name them.
_STYLES: Final = ("base", "scripts", "organiser", "published")


def result_shown(
    result: PublishedResult, versions: Sequence[PublishedResult], *, page_url: str
) -> dict[str, Any]:
    """Return the page content of a result beside its files.

    Parameters
    ----------
    versions : sequence of PublishedResult
        Those that its reader may see, the newest first.
    page_url : str
        Its public address.
    """
    return {
        **_frozen(PublishedFile(result.content, result.digest, page_url)),
        "result": result,
        "lines": version_lines(versions, shown=result),
        "newer": newer_version(versions, result),
        "results_url": page_url.removesuffix(f"{result.address}/"),
    }


def result_file(result: PublishedResult) -> PublishedFile:
    """Return the source of the folder's files; their address is known if `PUBLIC_ADDRESS` is set."""
    place = reverse("published-result", args=[result.address])
    public = settings.PUBLIC_ADDRESS.rstrip("/")
    return PublishedFile(result.content, result.digest, f"{public}{place}" if public else "")


def frozen_page(result: PublishedResult, names: Sequence[str]) -> str:
    """Return the page of the folder with these files: in English, with its styles in it, and nothing that may change."""
    folder = settings.BASE_DIR / "static" / "css"
    with override("en"):
        context = {
            **_frozen(result_file(result)),
            "result": result,
            "files": [
                {"name": name, "words": FOLDER[name].words, "address": name, "url": ""}
                for name in names
                if name != INDEX
            ],
            "styles": "".join((folder / f"{name}.css").read_text("utf-8") for name in _STYLES),
        }
        return render_to_string("published/frozen.html", context)


def _frozen(written: PublishedFile) -> dict[str, Any]:
    return {
        "page": published_page(written.content),
        "frozen_words": frozen_in_words(written.content),
        "page_url": written.url,
        "citation": bibtex_file(written),
    }


_COPIED: Final = 1 << 20
_RUN_FIELDS: Final = (
    "name",
    "parameters",
    "seed",
    "watermark",
    "code_version",
    "content_key_version",
)


def _untold(_done: int, _total: int) -> None:
    """Do nothing with the progress: the default of `progress`."""


def result_bundle_make(*, result: PublishedResult, progress: Progress = _untold) -> PublishedResult:
    """Make the bundle of a result now and store it; one that is made stays as it is.

    Files are written to a temporary folder: memory does not grow with the judgments but by some bytes each, for
    Parquet. The same result gives the same bytes.
    """
    if result.bundle_id is not None:
        return result
    with tempfile.TemporaryDirectory(prefix="quintet-bundle-") as name:
        folder = Path(name)
        frozen = frozen_result(result)
        files = _written(frozen, folder, progress)
        zipped = folder / "bundle.zip"
        _zip_write(zipped, folder, files, moment=_moment(frozen))
        with zipped.open("rb") as stream:
            return result_bundle_store(
                result=frozen.result, stream=stream, files=[file.plain() for file in files]
            )


@handles(JobKind.BUNDLE, PublishingRefusedError)
def _make(job: Job, progress: JobProgress) -> dict[str, Any]:
    result = PublishedResult.objects.get(pk=job.parameters["bundle"])
    made = result_bundle_make(result=result, progress=progress)
    return {"sha256": made.bundle and made.bundle.digest}


def _written(frozen: FrozenResult, folder: Path, progress: Progress) -> list[BundleFile]:
    """Write all files into the folder; return them in the order of the zip."""
    content, digest = frozen.content, frozen.result.digest
    written = result_file(frozen.result)
    for name, file in FOLDER.items():
        if file.write is not None:
            _write(folder / name, file.write(written))
    _write(folder / RUN, canonical(_run(frozen)) + "\n")
    judgments_write(frozen, folder / JUDGMENTS, progress)
    parquet_write(folder / JUDGMENTS, folder / PARQUET)
    left_out_write(frozen, folder / LEFT_OUT, progress)
    designs_write(frozen, folder / DESIGN)
    draws_write(frozen, folder / DRAWS, progress)
    if frozen.result.bundle_has_texts:
        texts_write(frozen, folder / TEXTS)
    about = {INDEX, README, METADATA, CHECKSUMS}
    names = [name for name in FOLDER if name in about or (folder / name).exists()]
    _write(folder / INDEX, frozen_page(frozen.result, names))
    _write(folder / README, readme(content, digest, names))
    files = [_found(folder / name) for name in names if name not in {METADATA, CHECKSUMS}]
    _write(folder / METADATA, crate(content, digest, files))
    files.append(_found(folder / METADATA))
    _write(folder / CHECKSUMS, checksums(files))
    return [*files, _found(folder / CHECKSUMS)]


def _write(path: Path, content: str | bytes) -> None:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _run(frozen: FrozenResult) -> dict[str, Any]:
    method = frozen.content["method"]
    return {
        "format": 1,
        "result": frozen.result.digest,
        **{name: method[name] for name in _RUN_FIELDS},
    }


def _found(path: Path) -> BundleFile:
    with path.open("rb") as stream:
        sha256 = file_digest(stream, "sha256").hexdigest()
    return BundleFile(name=path.name, bytes=path.stat().st_size, sha256=sha256)


def _moment(frozen: FrozenResult) -> tuple[int, int, int, int, int, int]:
    """Return when the result was published, as dates of files: making it again changes no byte."""
    at = datetime.fromisoformat(frozen.content["published_at"]).astimezone(UTC)
    return (at.year, at.month, at.day, at.hour, at.minute, at.second)


def _zip_write(
    path: Path,
    folder: Path,
    files: list[BundleFile],
    *,
    moment: tuple[int, int, int, int, int, int],
) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            # Unix permissions: writable for the owner, readable for all, on any platform.
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            entry.file_size = file.bytes
            with (folder / file.name).open("rb") as source, archive.open(entry, "w") as target:
                while piece := source.read(_COPIED):
                    target.write(piece)
