"""Build the frozen folder of a published result: page, files and data, packed into one zip."""

import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from ranking.analyses.ranking import ranks_table
from ranking.export.bundles import (
    FrozenResult,
    Progress,
    data_files,
    frozen_result,
    parquet_write,
)
from ranking.export.writing import zip_entry
from ranking.files import bundles
from ranking.models import PublishedResult
from ranking.pages.published.page import (
    Content,
    frozen_in_words,
    newer_version,
    published_page,
    version_lines,
)
from ranking.pages.report_shown import PLOT_FILES, plot_file
from ranking.reports.published.folder import FOLDER, bibtex_file, cff_file, crate, readme
from ranking.reports.published.report import (
    PublishedFile,
    basis_of,
    csv_file,
    firmness_of,
    grouped,
    one_line,
    pairs_file,
    published_report,
    title_of,
)
from ranking.reports.tables import Table
from ranking.reports.writing import FILES, write
from ranking.services.publishing.bundles import result_bundle_store
from ranking.services.publishing.naming import PublishingRefusedError
from ranking.wording.ranges import rank_cell, rank_range

#: The style sheets in templates/base.html and templates/published/result.html.
_STYLES: Final = ("base", "scripts", "organiser", "analyses", "published")


def result_shown(
    result: PublishedResult, versions: Sequence[PublishedResult], *, page_url: str
) -> dict[str, Any]:
    """Return the page content of a result, apart from its files.

    Parameters
    ----------
    versions : sequence of PublishedResult
        Versions that the reader may see, newest first.
    page_url : str
        Public address of the page.
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
    """Return the page for a folder with these files, with inline styles and without anything that may change."""
    folder = settings.BASE_DIR / "static" / "css"
    context = {
        **_frozen(result_file(result)),
        "result": result,
        "files": [
            {"name": name, "words": FOLDER[name], "address": name, "url": ""}
            for name in names
            if name != bundles.INDEX
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
    """Ignore progress; the default of `progress`."""


def result_bundle_make(*, result: PublishedResult, progress: Progress = _untold) -> PublishedResult:
    """Create and store the bundle of a result now; an existing one is not changed.

    Files are written to a temporary folder; memory use only grows by a few bytes per judgment, for
    Parquet. The same result gives the same bytes.
    """
    if result.bundle_id is not None:
        return result
    with tempfile.TemporaryDirectory(prefix="quintet-bundle-") as name:
        folder = Path(name)
        frozen = frozen_result(result)
        files = _written(frozen, folder, progress)
        zipped = folder / "bundle.zip"
        _zip_write(zipped, folder, files, frozen.content["published_at"])
        with zipped.open("rb") as stream:
            return result_bundle_store(result=frozen.result, stream=stream, files=files)


@handles(JobKind.BUNDLE, PublishingRefusedError)
def _make(job: Job, progress: JobProgress) -> dict[str, Any]:
    result = PublishedResult.objects.get(pk=job.parameters["bundle"])
    made = result_bundle_make(result=result, progress=progress)
    return {"sha256": made.bundle and made.bundle.digest}


@override("en")
def _written(frozen: FrozenResult, folder: Path, progress: Progress) -> list[dict[str, Any]]:
    """Write all files into the folder, in English; return name, bytes and SHA-256 of each in zip order."""
    content, digest = frozen.content, frozen.result.digest
    for name, written in _of_content(result_file(frozen.result)).items():
        _write(folder / name, written)
    _write(folder / bundles.RUN, canonical(_run(frozen)) + "\n")
    for name, lines in data_files(frozen, progress).items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
    parquet_write(folder / bundles.JUDGMENTS, folder / bundles.PARQUET)
    about = {bundles.INDEX, bundles.README, bundles.METADATA, bundles.CHECKSUMS}
    names = [name for name in FOLDER if name in about or (folder / name).exists()]
    _write(folder / bundles.INDEX, frozen_page(frozen.result, names))
    _write(folder / bundles.README, readme(content, digest, names))
    files = [_found(folder / name) for name in names[:-2]]
    _write(folder / bundles.METADATA, crate(content, digest, files))
    files.append(_found(folder / bundles.METADATA))
    hashes = {file["name"]: file["sha256"] for file in files}
    _write(folder / bundles.CHECKSUMS, bundles.checksums_written(hashes))
    return [*files, _found(folder / bundles.CHECKSUMS)]


def _of_content(file: PublishedFile) -> dict[str, str | bytes]:
    """Return the files that depend only on the content of a result, by name."""
    report, plot = published_report(file), _plot(file.content)
    return {
        "ranking.csv": csv_file(file),
        "pairs.csv": pairs_file(file),
        **{f"ranking.{ending}": write(report, FILES[ending]) for ending in ("tex", "typ", "md")},
        **{
            f"ranking.{ending}": plot_file(plot, ending) or b""
            for ending in PLOT_FILES
            if ending != "csv"
        },
        "citation.bib": bibtex_file(file),
        "CITATION.cff": cff_file(file),
        bundles.RESULT: canonical(file.content),
    }


def _plot(content: Content) -> Table:
    """Return the table with the plot of rank ranges; if there are several groups, names include the group."""
    rows = content["ranking"]["systems"]
    several = len(grouped(rows)) > 1
    names = [
        one_line(row["system"]) + (f" (group {row['group']})" if several else "") for row in rows
    ]
    ranks = "; ".join(
        f"{name}: rank {rank_cell(row)}, range {rank_range(row)}"
        + ("" if row.get("shortage") else f", cluster {row['cluster']}")
        for name, row in zip(names, rows, strict=True)
    )
    shown = [{**row, "system": name} for name, row in zip(names, rows, strict=True)]
    table = ranks_table(shown, name="ranking", method=content["method"]["name"])
    title = f"Rank ranges: {title_of(content)}"
    return replace(
        table, title=title, notes=[basis_of(content), *firmness_of(content), f"{ranks}."]
    )


def _write(path: Path, content: str | bytes) -> None:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _run(frozen: FrozenResult) -> dict[str, Any]:
    method = frozen.content["method"]
    return {
        "format": 1,
        "result": frozen.result.digest,
        **{name: method[name] for name in _RUN_FIELDS},
    }


def _found(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        sha256 = file_digest(stream, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": sha256}


def _zip_write(
    path: Path, folder: Path, files: Sequence[Mapping[str, Any]], published_at: str
) -> None:
    """Pack files with the time of publication, so that a zip created again has the same bytes."""
    moment = datetime.fromisoformat(published_at).astimezone(UTC).timetuple()[:6]
    with zipfile.ZipFile(path, "w") as archive:
        for file in files:
            entry = zip_entry(file["name"], moment)
            entry.file_size = file["bytes"]
            with (folder / file["name"]).open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, _COPIED)
