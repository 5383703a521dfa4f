"""The files a command is given for a test set, whatever way, with what each is."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from django.core.management.base import CommandError

from campaign.formats import InputFile, TestSetFormat, detect_format
from campaign.formats.archives import archive_files, folder_files, opener
from campaign.formats.recognising import FileRole, RecognisedFile, RecognisedSet, recognise
from campaign.formats.streams import StoredFile
from campaign.importing.uploaded_files import holds_archive


def files_with_roles(
    *,
    source: Path,
    references: Sequence[Path],
    systems: Sequence[tuple[str, Path]],
    documents: Path | None,
    file_format: TestSetFormat | None,
) -> RecognisedSet:
    """Return files whose roles were given; without `file_format` the source tells it."""
    if file_format is None:
        with source.open("rb") as stream:
            file_format, _whole = detect_format(InputFile(str(source), stream))

    def given(role: FileRole, path: Path, system: str | None = None) -> RecognisedFile:
        stored = StoredFile(str(path), opener(path))
        return RecognisedFile(stored, role, "it was given so", file_format, system)

    files = [given(FileRole.SOURCE, source)]
    files += [given(FileRole.REFERENCE, path) for path in references]
    files += [given(FileRole.SYSTEM, path, name) for name, path in systems]
    if documents is not None:
        files.append(given(FileRole.DOCUMENTS, documents))
    return RecognisedSet(str(source), tuple(files), None)


def files_recognised(
    paths: Sequence[Path],
    stack: ExitStack,
    file_format: TestSetFormat | None,
    languages: tuple[str, str] | None = None,
) -> RecognisedSet:
    """Return one whole test set, or the files of a folder, an archive or a list, recognised.

    `languages` choose among the pairs of an EvalSet folder. What an archive holds can be opened until `stack` is closed.

    Raises FormatError for archives and folders that are refused, and CommandError for folders
    and archives among other files.
    """
    if len(paths) > 1:
        for path in paths:
            if path.is_dir() or holds_archive(StoredFile(str(path), opener(path))):
                raise CommandError(
                    f"{path} is a folder or an archive: give it alone, or give files only."
                )
        # Names from the folder that all are in: the folders above it say nothing of roles.
        above = Path(os.path.commonpath([path.absolute().parent for path in paths]))
        return recognise(
            str(above),
            [
                StoredFile(path.absolute().relative_to(above).as_posix(), opener(path))
                for path in paths
            ],
            languages,
        )
    (path,) = paths
    if path.is_dir():
        return recognise(str(path), folder_files(path), languages)
    archive = StoredFile(str(path), opener(path))
    if holds_archive(archive):
        return recognise(str(path), stack.enter_context(archive_files(archive)), languages)
    return files_with_roles(
        source=path, references=(), systems=(), documents=None, file_format=file_format
    )
