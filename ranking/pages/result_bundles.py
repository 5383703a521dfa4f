"""Write the files of a published result, and pack them into its bundle."""

import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import override

from campaign.models import Job, JobKind
from campaign.services.jobs import JobProgress, handles
from campaign.texts.canonical_json import canonical
from campaign.texts.joining import semicolon_list
from ranking.core.rankings.records import RankedRow
from ranking.export.bundles import (
    FrozenResult,
    Progress,
    data_files,
    frozen_result,
    parquet_write,
)
from ranking.export.zips import zip_entry
from ranking.files import bundles
from ranking.models import PublishedResult
from ranking.pages.frozen_pages import frozen_page, result_file
from ranking.pages.report_shown import PLOT_FILES, plot_file
from ranking.reports.analyses.ranking import ranks_table
from ranking.reports.published_results import (
    FOLDER,
    BundleFile,
    PublishedFile,
    basis_of,
    bibtex_file,
    cff_file,
    crate,
    csv_file,
    firmness_of,
    one_line,
    pairs_file,
    published_report,
    readme,
    title_of,
)
from ranking.reports.tables import Table
from ranking.reports.wording.published_content import PublishedContent
from ranking.reports.wording.published_method import has_ranking
from ranking.reports.wording.ranges import rank_cell, rank_range, rows_by_group
from ranking.reports.writing import FILES, write
from ranking.services.published_results.bundles import (
    judging_goes_on,
    result_bundle_store,
)
from ranking.services.published_results.naming import PublishingRefusedError

_COPIED: Final = 1 << 20


def _ignore_progress(_completed: int, _total: int) -> None:
    """Ignore progress; the default of `progress`."""


def result_bundle_make(
    *,
    result: PublishedResult,
    progress: Progress = _ignore_progress,
) -> PublishedResult:
    """Create and store the bundle of a result now; an existing one is not changed.

    Files are written to a temporary folder; memory use only grows by a few bytes per judgment, for
    Parquet. The same result gives the same bytes.
    """
    if result.bundle_id is not None:
        return result
    with tempfile.TemporaryDirectory(prefix="quintet-bundle-") as name:
        folder = Path(name)
        frozen = frozen_result(result)
        files = _write_bundle_files(frozen, folder, progress)
        zipped = folder / "bundle.zip"
        _zip_write(zipped, folder, files, frozen.content["published_at"])
        with zipped.open("rb") as stream:
            recorded = [dict(file) for file in files]
            return result_bundle_store(
                result=frozen.result,
                stream=stream,
                files=recorded,
            )


@handles(JobKind.BUNDLE, PublishingRefusedError)
def _make(job: Job, progress: JobProgress) -> dict[str, object]:
    result = PublishedResult.objects.get(pk=job.parameters["bundle"])
    if judging_goes_on(result.task):
        raise PublishingRefusedError(
            _(
                "It is created when judging has ended, because it reveals which system wrote which output.",
            ),
        )
    bundle = result_bundle_make(result=result, progress=progress).bundle
    if bundle is None:
        return {"sha256": None}
    return {"sha256": bundle.digest}


@override("en")
def _write_bundle_files(
    frozen: FrozenResult,
    folder: Path,
    progress: Progress,
) -> list[BundleFile]:
    """Write all files into the folder, in English; return name, bytes and SHA-256 of each in zip order."""
    content = frozen.content
    digest = frozen.result.digest
    for name, written in _content_files(result_file(frozen.result)).items():
        _write(folder / name, written)
    _write(folder / bundles.RUN, canonical(_run(frozen)) + "\n")
    for name, lines in data_files(frozen, progress).items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
    parquet_write(folder / bundles.JUDGMENTS, folder / bundles.PARQUET)
    about = {bundles.INDEX, bundles.README, bundles.METADATA, bundles.CHECKSUMS}
    there = {path.name for path in folder.iterdir()}
    names = [name for name in FOLDER if name in about | there]
    _write(folder / bundles.INDEX, frozen_page(frozen.result, names))
    _write(folder / bundles.README, readme(content, digest, names))
    files = [_describe_file(folder / name) for name in names[:-2]]
    _write(folder / bundles.METADATA, crate(content, digest, files))
    files.append(_describe_file(folder / bundles.METADATA))
    hashes = {file["name"]: file["sha256"] for file in files}
    _write(folder / bundles.CHECKSUMS, bundles.checksums_written(hashes))
    return [*files, _describe_file(folder / bundles.CHECKSUMS)]


def _content_files(file: PublishedFile) -> dict[str, str | bytes]:
    """Return the files that depend only on the content of a result, by name."""
    if has_ranking(file.content):
        files = _ranking_files(file)
    else:
        files = _answer_files(file)
    files["citation.bib"] = bibtex_file(file)
    files["CITATION.cff"] = cff_file(file)
    files[bundles.RESULT] = canonical(file.content)
    return files


def _ranking_files(file: PublishedFile) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {
        "ranking.csv": csv_file(file),
        "pairs.csv": pairs_file(file),
    }
    report = published_report(file)
    for ending in ("tex", "typ", "md"):
        files[f"ranking.{ending}"] = write(report, FILES[ending])
    plot = _plot(file.content)
    for ending in PLOT_FILES:
        if ending != "csv":
            files[f"ranking.{ending}"] = plot_file(plot, ending) or b""
    return files


def _answer_files(file: PublishedFile) -> dict[str, str | bytes]:
    """Return the tables of a result without a ranking."""
    report = published_report(file)
    endings = ("csv", "tex", "typ", "md")
    return {f"results.{ending}": write(report, FILES[ending]) for ending in endings}


def _plot(content: PublishedContent) -> Table:
    """Return the table with the plot of rank ranges; if there are several groups, names include the group."""
    rows = content["ranking"]["systems"]
    has_groups = len(rows_by_group(rows)) > 1
    named_rows: list[RankedRow] = []
    ranks = []
    for row in rows:
        name = one_line(row["system"])
        if has_groups:
            name = f"{name} (group {row['group']})"
        phrase = f"{name}: rank {rank_cell(row)}, range {rank_range(row)}"
        if not row.get("shortage"):
            phrase = f"{phrase}, cluster {row['cluster']}"
        named_rows.append({**row, "system": name})
        ranks.append(phrase)
    table = ranks_table(named_rows, name="ranking", method=content["method"]["name"])
    notes = [basis_of(content), *firmness_of(content), f"{semicolon_list(ranks)}."]
    return replace(table, title=f"Rank ranges: {title_of(content)}", notes=notes)


def _write(path: Path, content: str | bytes) -> None:
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content)


def _run(frozen: FrozenResult) -> dict[str, object]:
    """Return what a ranking is computed again from."""
    method = frozen.content["method"]
    return {
        "format": 1,
        "result": frozen.result.digest,
        "name": method["name"],
        "parameters": method["parameters"],
        "seed": method["seed"],
        "watermark": method["watermark"],
        "code_version": method["code_version"],
        "content_key_version": method["content_key_version"],
    }


def _describe_file(path: Path) -> BundleFile:
    with path.open("rb") as stream:
        sha256 = file_digest(stream, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": sha256}


def _zip_write(
    zipped: Path,
    folder: Path,
    files: Sequence[BundleFile],
    published_at: str,
) -> None:
    """Pack files with the time of publication, so that a zip created again has the same bytes."""
    moment = datetime.fromisoformat(published_at).astimezone(UTC).timetuple()[:6]
    with zipfile.ZipFile(zipped, "w") as archive:
        for file in files:
            entry = zip_entry(file["name"], moment)
            entry.file_size = file["bytes"]
            path = folder / file["name"]
            with path.open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, _COPIED)
