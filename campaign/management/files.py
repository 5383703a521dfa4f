"""Files for commands: their roles, the progress of reading, and findings."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, OutputWrapper

from campaign.formats import FormatError, InputFile, TestSetFormat, detect_format
from campaign.formats.archives import folder_files, holds_archive, opener
from campaign.formats.errors import Loss
from campaign.formats.inspecting import OUTLYING, Inspection, SystemFacts
from campaign.formats.isolation import isolated
from campaign.formats.recognising import (
    FileRole,
    RecognisedFile,
    RecognisedSet,
    recognise,
)
from campaign.formats.set_reading import files_recognise
from campaign.formats.streams import StoredFile
from campaign.importing.errors import ImportRefusedError
from campaign.texts.refusals import RefusedError


def files_with_roles(
    *,
    source: Path,
    references: Sequence[Path],
    systems: Sequence[tuple[str, Path]],
    documents: Path | None,
    file_format: TestSetFormat | None,
) -> RecognisedSet:
    """Return files with given roles; without `file_format`, it is detected from the source."""
    if file_format is None:
        with source.open("rb") as stream:
            file_format, _whole = detect_format(InputFile(str(source), stream))

    def file_with_role(
        role: FileRole,
        path: Path,
        system: str | None = None,
    ) -> RecognisedFile:
        stored = StoredFile(str(path), opener(path))
        return RecognisedFile(stored, role, "specified", file_format, system)

    files = [file_with_role(FileRole.SOURCE, source)]
    files += [file_with_role(FileRole.REFERENCE, path) for path in references]
    files += [file_with_role(FileRole.SYSTEM, path, name) for name, path in systems]
    if documents is not None:
        files.append(file_with_role(FileRole.DOCUMENTS, documents))
    return RecognisedSet(str(source), tuple(files), None)


def files_recognised(
    paths: Sequence[Path],
    stack: ExitStack,
    file_format: TestSetFormat | None,
    languages: tuple[str, str] | None = None,
) -> RecognisedSet:
    """Return the recognised files of a folder, an archive or a list, or one complete test set.

    `languages` chooses one of several pairs in an EvalSet folder. The files of an archive can be opened until
    `stack` is closed.

    Raises FormatError for refused archives and folders, and CommandError for a folder or archive among other
    files.
    """
    if len(paths) > 1:
        return _isolated_recognised(*_together(paths), languages)
    (path,) = paths
    name = str(path)
    if path.is_dir():
        return _isolated_recognised(name, folder_files(path), languages)
    archive = StoredFile(name, opener(path))
    if holds_archive(archive):
        folder = (
            Path(stack.enter_context(TemporaryDirectory(prefix="quintet-")))
            / "unpacked"
        )
        read = partial(files_recognise, name, [archive], folder, languages)
        return isolated(name, archive.size(), read)
    return files_with_roles(
        source=path,
        references=(),
        systems=(),
        documents=None,
        file_format=file_format,
    )


def _together(paths: Sequence[Path]) -> tuple[str, list[StoredFile]]:
    """Return the common folder, and the files with names relative to it: folders above say nothing about roles."""
    for path in paths:
        if path.is_dir() or holds_archive(StoredFile(str(path), opener(path))):
            raise CommandError(
                f"{path} is a folder or an archive. Specify either one folder or archive, or only files.",
            )
    above = Path(os.path.commonpath([path.absolute().parent for path in paths]))
    files = [
        StoredFile(path.absolute().relative_to(above).as_posix(), opener(path))
        for path in paths
    ]
    return str(above), files


def _isolated_recognised(
    name: str,
    files: Sequence[StoredFile],
    languages: tuple[str, str] | None,
) -> RecognisedSet:
    size = sum(file.size() for file in files)
    return isolated(name, size, partial(recognise, name, files, languages))


_WIDTH = 160


def inspection_lines(
    recognised: RecognisedSet,
    inspection: Inspection,
) -> Iterator[str]:
    """Yield the lines of a report about an inspection."""
    facts = {inspected.file.name: inspected for inspected in inspection.files}
    for file in recognised.files:
        line = f"{file.name}: {_role(file)}"
        if file.name in facts:
            line += (
                f"; {facts[file.name].lines:,} lines, {facts[file.name].encoding or '?'}, "
                f"line endings: {facts[file.name].line_ends or '–'}"
            )
        yield line
    if inspection.languages:
        yield f"Languages, from file names: {inspection.languages[0]} → {inspection.languages[1]}"
    yield f"Segments: {inspection.segments:,}, documents: {inspection.documents:,}, references: {inspection.references}"
    for system in inspection.systems:
        yield from _system(system)
    if any(system.outlier_count for system in inspection.systems):
        yield (
            f"Outliers: outputs whose log length ratio to the source is more than {OUTLYING:g} scaled median "
            "absolute deviations from the median of the system."
        )
    for group in inspection.identical_systems:
        yield f"Identical outputs: {', '.join(group)}"
    listed = {file.name for file in recognised.of(FileRole.IGNORED)}
    left_out = (
        omission for omission in inspection.left_out if omission[0] not in listed
    )
    yield from omission_lines(left_out, inspection.warnings)
    for segment in inspection.sample:
        yield f"{segment.number}. {_one_line(segment.source)}"
        yield from (f"    {_one_line(text)}" for text in segment.references if text)
        yield from (
            f"    {name}: {_one_line(text)}" for name, text in segment.outputs.items()
        )


def loss_lines(losses: Iterable[Loss]) -> Iterator[str]:
    """Yield a line for everything that was lost in a conversion."""
    for loss in losses:
        yield (
            f"Not converted: {loss.what} ({loss.count:,} times, first at {loss.first})."
        )


def omission_lines(
    left_out: Iterable[tuple[str, str]],
    warnings: Iterable[str],
) -> Iterator[str]:
    """Yield a line for everything that an import leaves out or warns about."""
    for name, why in left_out:
        yield f"Skipped: {name} ({why})"
    for warning in warnings:
        yield f"Warning: {warning}"


def _role(file: RecognisedFile) -> str:
    if file.role is FileRole.SYSTEM:
        return f"outputs of {file.system}"
    if file.role is FileRole.IGNORED:
        return f"skipped ({file.why})"
    return {
        FileRole.SOURCE: "source",
        FileRole.REFERENCE: "reference",
        FileRole.DOCUMENTS: "document names",
        FileRole.WHOLE: "whole test set",
    }[file.role]


def _system(system: SystemFacts) -> Iterator[str]:
    if system.usual_ratio is None:
        ratio = "–"
    else:
        ratio = f"{system.usual_ratio:.2f}"
    yield (
        f"{system.name}: length ratio {ratio}, outliers: {system.outlier_count:,}, repeated for another source: "
        f"{system.repeated:,}, copied from the source: {system.copied:,}"
    )
    for outlier in system.outliers:
        yield f"    {outlier.number}. ×{outlier.ratio:.2f} {_one_line(outlier.output)}"


def _one_line(text: str) -> str:
    line = text.replace("\n", " ⏎ ")
    if len(line) <= _WIDTH:
        return line
    return f"{line[:_WIDTH]}…"


class Progress:
    """Progress line on standard error (on terminals only), and messages."""

    def __init__(self, err: OutputWrapper, *, quiet: bool = False) -> None:
        self._err = err
        self._quiet = quiet
        self._is_visible = bool(err.isatty()) and not quiet
        self._task = ""
        self._percent = -1

    def begin(self, task: str) -> Self:
        """Begin the next step."""
        self._task = task
        self._percent = -1
        return self

    def say(self, sentence: str) -> None:
        """Write a message unless the command is quiet, also if standard error is not a terminal."""
        if self._quiet:
            return
        self._clear()
        self._err.write(sentence, str)
        self._err.flush()

    def __call__(self, completed: int, total: int) -> None:
        if total:
            percent = min(100 * completed // total, 100)
        else:
            percent = 100
        if self._is_visible and percent != self._percent:
            self._percent = percent
            self._err.write(f"\r\x1b[K{self._task}: {percent}%", str, ending="")
            self._err.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._clear()

    def _clear(self) -> None:
        """Clear the progress line."""
        if self._is_visible and self._percent >= 0:
            self._err.write("\r\x1b[K", str, ending="")
            self._err.flush()
            self._percent = -1


@contextmanager
def refusals_as_errors() -> Iterator[None]:
    """Raise a CommandError for refusals and unreadable files."""
    try:
        yield
    except (FormatError, ImportRefusedError, RefusedError) as error:
        raise CommandError(str(error)) from error
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}.") from error
