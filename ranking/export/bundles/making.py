"""Make the bundle of a published result: write its files, pack them, and store the zip."""

import tempfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from campaign.texts.canonical_json import canonical
from ranking.export.bundles.design import designs_write, draws_write
from ranking.export.bundles.frozen import FrozenResult, Progress, frozen_result
from ranking.export.bundles.judgments import judgments_write, left_out_write, parquet_write
from ranking.export.bundles.texts import texts_write
from ranking.files.bundles.names import (
    CHECKSUMS,
    DESIGN,
    DRAWS,
    JUDGMENTS,
    LEFT_OUT,
    METADATA,
    PARQUET,
    README,
    RESULT,
    RUN,
    TEXTS,
)
from ranking.models import ResultBundle
from ranking.reports.published.bundle_words import BundleFile, checksums, crate, readme
from ranking.services.publishing.bundles import result_bundle_store

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


def result_bundle_make(*, bundle: ResultBundle, progress: Progress = _untold) -> ResultBundle:
    """Make a bundle now and store it; one that is made stays as it is.

    Files are written to a temporary folder: memory does not grow with the judgments but by some bytes each, for
    Parquet. The same result gives the same bytes.
    """
    if bundle.is_made:
        return bundle
    with tempfile.TemporaryDirectory(prefix="quintet-bundle-") as name:
        folder = Path(name)
        frozen = frozen_result(bundle)
        files = list(_written(frozen, folder, progress))
        zipped = folder / "bundle.zip"
        _zip_write(zipped, folder, files, moment=_moment(frozen))
        with zipped.open("rb") as stream:
            return result_bundle_store(
                bundle=bundle, stream=stream, files=[file.plain() for file in files]
            )


def _written(frozen: FrozenResult, folder: Path, progress: Progress) -> Iterator[BundleFile]:
    """Write all files into the folder; yield each, in the order of the zip."""
    content, digest = frozen.content, frozen.result.digest
    files = []
    for name, write in _writers(frozen, folder, progress).items():
        if write(folder / name):
            files.append(_found(folder / name))
    names = [file.name for file in files]
    files.insert(0, _said(folder / README, readme(content, digest, names)))
    files.append(_said(folder / METADATA, crate(content, digest, files)))
    yield from files
    yield _said(folder / CHECKSUMS, checksums(files))


def _writers(
    frozen: FrozenResult, folder: Path, progress: Progress
) -> dict[str, Callable[[Path], bool]]:
    """Return what writes each file, and whether there is one."""
    content = frozen.content
    return {
        RESULT: partial(_text_write, canonical(content)),
        RUN: partial(_text_write, canonical(_run(frozen)) + "\n"),
        JUDGMENTS: _always(partial(judgments_write, frozen, progress=progress)),
        PARQUET: partial(parquet_write, folder / JUDGMENTS),
        LEFT_OUT: partial(left_out_write, frozen, progress=progress),
        DESIGN: _always(partial(designs_write, frozen)),
        DRAWS: _always(partial(draws_write, frozen, progress=progress)),
        **({TEXTS: partial(texts_write, frozen)} if frozen.bundle.has_texts else {}),
    }


def _always(write: Callable[[Path], None]) -> Callable[[Path], bool]:
    def written(path: Path) -> bool:
        write(path)
        return True

    return written


def _text_write(text: str, path: Path) -> bool:
    path.write_text(text, encoding="utf-8", newline="\n")
    return True


def _run(frozen: FrozenResult) -> dict[str, Any]:
    method = frozen.content["method"]
    return {
        "format": 1,
        "result": frozen.result.digest,
        **{name: method[name] for name in _RUN_FIELDS},
    }


def _said(path: Path, text: str) -> BundleFile:
    _text_write(text, path)
    return _found(path)


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
            # A file that its owner writes and everybody reads, made on Unix, wherever it is made.
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            entry.file_size = file.bytes
            with (folder / file.name).open("rb") as source, archive.open(entry, "w") as target:
                while piece := source.read(_COPIED):
                    target.write(piece)
