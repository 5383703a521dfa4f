"""Detection of each file's role in a test set: source, reference, system output, or none."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple

from campaign.formats import file_names
from campaign.formats.archives import is_litter
from campaign.formats.errors import FormatError
from campaign.formats.file_names import matches
from campaign.formats.genmt import OUTPUT_KEYS, genmt_outputs, genmt_sources
from campaign.formats.json_text import object_lines
from campaign.formats.known_files import (
    IMPORT_AS_TEST_SET,
    SUBTITLES,
    SUBTITLES_AS_LINES,
    is_subtitles,
    known_file_error,
)
from campaign.formats.media_names import (
    MediaNames,
    MediaWatch,
    folder_lists,
    is_media_name,
)
from campaign.formats.omissions import Omissions, complete, named, noticed
from campaign.formats.records import SegmentTexts, counted, system_name_problem
from campaign.formats.sgml import set_tag
from campaign.formats.streams import InputFile, StoredFile, peek, text_lines
from campaign.formats.test_sets import (
    JSON_ENDINGS,
    SNIFFED_BYTES,
    ReadingOptions,
    TestSetFormat,
    format_of,
    holds_key,
    holds_source,
    is_json_array,
    read_test_set,
)

_NOT_TEXTS: Final = (".md", ".pdf", ".py", ".sh")
# Extensions of other files that may still hold the output of a system.
_OTHER_TEXTS: Final = (".csv", ".html", ".log", ".xlsx", ".docx", ".parquet")
_SIDE_NAMES: Final = frozenset(
    {"README", "LICENSE", "LICENCE", "NOTICE", "CHANGELOG", "MANIFEST"},
)
#: Judges rank systems against each other.
FEWEST_SYSTEMS: Final = 2
_NAMED: Final = 5
_IN_OFFICE_FILES: Final = "[Content_Types].xml"
_PAGE: Final = re.compile(rb"[\xef\xbb\xbf\s]*<(!doctype )?html\b", re.IGNORECASE)
_WHOLE: Final = frozenset(
    {TestSetFormat.TSV, TestSetFormat.WMT_XML, TestSetFormat.PEARMUT},
)


class FileRole(StrEnum):
    """Role of a file in a test set."""

    SOURCE = "source"
    REFERENCE = "reference"
    SYSTEM = "system"
    DOCUMENTS = "documents"
    WHOLE = "whole"
    IGNORED = "ignored"


_HAS_OUTPUTS: Final = frozenset({FileRole.SYSTEM, FileRole.WHOLE})
_ROLES_OF_SETS: Final = {
    "srcset": FileRole.SOURCE,
    "refset": FileRole.REFERENCE,
    "tstset": FileRole.SYSTEM,
}


@dataclass(frozen=True, slots=True)
class RecognisedFile:
    """A file with its detected role; `why` gives the reason, without a full stop.

    `refusal` is why an import refuses the file as it is, instead of leaving it out.
    """

    file: StoredFile
    role: FileRole
    why: str
    file_format: TestSetFormat | None = None
    system: str | None = None
    refusal: FormatError | None = None

    @property
    def name(self) -> str:
        """The name as it was given."""
        return self.file.name


@dataclass(frozen=True, slots=True)
class RecognisedSet:
    """All files with their roles. `languages` is None if no file name contains them.

    `litter` counts hidden and temporary files, which are not among `files`; nor are the pictures, recordings and videos
    in `media`, which texts name.
    """

    name: str
    files: tuple[RecognisedFile, ...]
    languages: tuple[str, str] | None
    litter: int = 0
    media: tuple[StoredFile, ...] = ()

    @property
    def left_out(self) -> list[tuple[str, str]]:
        """Files that are left out, each with the reason."""
        reasons = [(file.name, file.why) for file in self.of(FileRole.IGNORED)]
        if self.litter:
            description = counted(self.litter, "hidden or temporary file")
            reasons.append((description, "left by operating systems and editors"))
        return reasons

    def of(self, role: FileRole) -> list[RecognisedFile]:
        """Return the files of a role, in order."""
        return [file for file in self.files if file.role is role]

    def size(self) -> int:
        """Return the number of bytes in the files that are not left out."""
        size = sum(file.size() for file in self.media)
        for file in self.files:
            if file.role is not FileRole.IGNORED:
                size += file.file.size()
        return size

    @property
    def main(self) -> RecognisedFile:
        """The file with the source, alone or with everything else.

        Raises FormatError if there is none, or more than one.
        """
        main_files = [*self.of(FileRole.WHOLE), *self.of(FileRole.SOURCE)]
        if any(file.name == _IN_OFFICE_FILES for file in self.files):
            raise FormatError(
                self.name,
                "the file is an Excel workbook or a Word document",
                "save a table as CSV, and a document as text",
            )
        if not main_files and self.media and not self.files:
            raise FormatError(
                self.name,
                f"there is no text beside {named([file.name for file in self.media])}",
                "add a table with the columns source and one for each system that name the files,"
                " or put the files into a folder for each system",
            )
        if not main_files:
            for file in self.of(FileRole.SYSTEM):
                _refuse_unreadable(file.file)
            if len(self.files) == 1:
                _refuse_by_name(self.files[0])
            problem = "no file was recognised as the source or as a complete test set"
            for name, why in self.left_out[:_NAMED]:
                problem += f"; {name}: {why}"
            raise FormatError(
                self.name,
                problem,
                'use "src" or "source" in the name of the source file, or specify the role of each file',
            )
        if len(main_files) > 1:
            raise FormatError(
                main_files[1].name,
                f"{main_files[0].name} and this file could both be the source",
                "choose a language pair if there are several, or specify the role of each file",
            )
        return main_files[0]


def _refuse_unreadable(file: StoredFile) -> None:
    """Raise FormatError if a file is no text."""
    with file.open() as stream:
        for _line in text_lines(InputFile(file.name, stream)):
            pass


def recognise(
    name: str,
    files: Sequence[StoredFile],
    languages: tuple[str, str] | None = None,
) -> RecognisedSet:
    """Detect the role of each file, by its first bytes and then by its name. Errors call all of them `name`.

    `languages` chooses one of several language pairs, as in EvalSet folders; files of other pairs are left out.

    The result depends only on names and bytes, and `RecognisedFile.why` explains each decision. Accents in names are
    composed, because macOS writes them apart in names of files, and tables do not.

    Raises FormatError only for gzip that is damaged at its very beginning.
    """
    relevant = []
    for file in files:
        if not is_litter(file.name):
            composed = unicodedata.normalize("NFC", file.name)
            relevant.append(replace(file, name=composed))
    media = tuple(file for file in relevant if is_media_name(file.name))
    texts = [_classify_by_content(file) for file in relevant if file not in media]
    set_files = _ignore_other_pairs(_assign_plain_roles(texts), languages)
    if media and not any(file.role in _HAS_OUTPUTS for file in set_files):
        lists = [_classify_by_content(file) for file in folder_lists(media)]
        set_files = _assign_plain_roles([*texts, *lists])
    set_files = _refuse_disguised_outputs(
        _reclassify_references(_assign_system_names(set_files)),
    )
    litter = len(files) - len(relevant)
    return RecognisedSet(name, tuple(set_files), _languages(set_files), litter, media)


def with_roles(
    recognised: RecognisedSet,
    chosen: Mapping[str, tuple[FileRole, str | None]],
) -> RecognisedSet:
    """Return the files with some roles replaced by the user's choices, by file name.

    Each choice is a role and the name of the system; None keeps the detected name. A file without a format is
    read as plain text.
    """
    files = []
    for file in recognised.files:
        detected = (file.role, file.system)
        choice = chosen.get(file.name, detected)
        if choice == detected:
            files.append(file)
        else:
            files.append(_assign_role(file, *choice))
    return replace(recognised, files=tuple(files))


def _assign_role(
    file: RecognisedFile,
    role: FileRole,
    system: str | None,
) -> RecognisedFile:
    if role is not FileRole.SYSTEM:
        system = None
    elif not system:
        system = file.system or file_names.system_names([file.name])[0]
    return replace(
        file,
        role=role,
        why="its role was chosen by hand",
        file_format=file.file_format or TestSetFormat.PLAIN,
        system=system,
        refusal=None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SetReading:
    """Options for reading recognised files, shared by check and import.

    `languages` chooses one of several pairs in a file. With `common_documents`, only documents that all systems
    cover are read. The first reference is also ranked, as `reference_system`. `fewest_systems` are those that the protocol
    needs; one is enough where judges rate single outputs.
    """

    languages: tuple[str, str] | None = None
    by_paragraph: bool = False
    common_documents: bool = False
    reference_system: str | None = None
    fewest_systems: int = FEWEST_SYSTEMS


@contextmanager
def opened_set(
    recognised: RecognisedSet,
    reading: SetReading = SetReading(),
    *,
    omissions: Omissions | None = None,
    media: MediaWatch | None = None,
) -> Iterator[Iterator[SegmentTexts]]:
    """Yield the segments of recognised files, which stay open until the context ends.

    With `common_documents`, all files are read twice. `omissions` collects warnings and everything that is left
    out, including files. `media` receives each picture, recording and video before the first segment that shows it.

    Raises FormatError like `read_test_set`, here or while iterating, and for anything that prevents a ranking of
    these files. Checks and imports both use this, so they refuse the same files.
    """
    if omissions is None:
        omissions = Omissions()
    omissions.left_out += recognised.left_out
    for file in recognised.files:
        if file.refusal:
            raise file.refusal
    _refuse_single_text(recognised)
    reference_system = reading.reference_system
    name = recognised.main.name
    if not reading.common_documents:
        with _open_segments(recognised, omissions, reading, media) as segments:
            all_covered = complete(segments, omissions)
            rankable = _rankable(all_covered, name, reading)
            yield noticed(rankable, omissions, reference_system)
        return
    uncovered = Omissions()
    systems = dict[str, None]()
    documents = set[str]()
    with _open_segments(recognised, uncovered, reading) as segments:
        for segment in segments:
            systems |= dict.fromkeys(segment.outputs)
            documents.add(segment.document)
    if documents <= uncovered.uncovered.keys():
        uncovered.refuse_uncovered(len(documents))
    for document, lacking in uncovered.uncovered.items():
        why = f"not covered by {named(lacking)}"
        omissions.left_out.append((f'document "{document}"', why))
    with _open_segments(recognised, omissions, reading, media) as segments:
        common = _common(segments, uncovered.uncovered, systems)
        rankable = _rankable(common, name, reading)
        yield noticed(rankable, omissions, reference_system)


def _common(
    segments: Iterator[SegmentTexts],
    uncovered: Container[str],
    systems: Iterable[str],
) -> Iterator[SegmentTexts]:
    """Yield the segments of covered documents, numbered anew, with outputs in the order of the systems."""
    number = 0
    for segment in segments:
        if segment.document not in uncovered:
            number += 1
            outputs = {name: segment.outputs[name] for name in systems}
            yield replace(segment, number=number, outputs=outputs)


def _refuse_single_text(recognised: RecognisedSet) -> None:
    """Refuse a single file that is no test set."""
    main = recognised.main
    if len(recognised.files) == 1 and main.file_format is TestSetFormat.PLAIN:
        _refuse_by_name(main)


def _refuse_by_name(file: RecognisedFile) -> None:
    """Raise FormatError for a single file that is no test set, and name its kind; pass over an empty one."""
    with file.file.open() as stream:
        head, _whole = peek(InputFile(file.name, stream), SNIFFED_BYTES)
    if not head.strip():
        return
    error = known_file_error(file.name, head, here=IMPORT_AS_TEST_SET)
    if error is None and head.lstrip().startswith(b"{"):
        error = _other_json(file.file) or _broken_line(file.file)
    raise error or FormatError(
        file.name,
        "it is a single file without the header of a table",
        "name the columns in the first line (source and one for each system), or give a file for each system",
    )


def _other_json(file: StoredFile) -> FormatError | None:
    """Return an error that names the keys of the first JSON object; None if the first line is no object."""
    keys = _first_keys(file)
    if not keys:
        return None
    return FormatError(
        file.name,
        f"its first line has {named(keys)}, but not source and outputs",
        'write {"source": "…", "outputs": {"system": "…"}} on every line',
    )


def _first_keys(file: StoredFile) -> list[str]:
    """Return the keys of the object in the first line; none if it is no object."""
    with file.open() as stream:
        try:
            _line, first = next(object_lines(InputFile(file.name, stream), "an object"))
        except (FormatError, StopIteration):
            return []
    return list(first)


def _rankable(
    segments: Iterator[SegmentTexts],
    name: str,
    reading: SetReading,
) -> Iterator[SegmentTexts]:
    """Yield the segments; refuse too few systems, and a system with the name reserved for the reference."""
    reference_system = reading.reference_system
    problem = reference_system and system_name_problem(reference_system)
    if problem:
        raise FormatError(name, problem, "rename the reference system")
    systems: Sequence[str] = ()
    for segment in segments:
        systems = list(segment.outputs)
        if reference_system in systems and segment.references and segment.references[0]:
            raise FormatError(
                name,
                f"a system is called {reference_system}, the name reserved for the first reference",
                "rename the reference system, or exclude the reference from the ranking",
            )
        yield segment
    if refusal := few_systems_error(name, systems, fewest=reading.fewest_systems):
        raise refusal


def few_systems_error(
    name: str,
    systems: Sequence[str],
    *,
    fewest: int,
) -> FormatError | None:
    """Return the error that files have outputs of fewer systems than a protocol needs; None if they have enough."""
    if len(systems) >= fewest:
        return None
    remedy = "provide outputs of at least two systems"
    if not systems:
        return FormatError(name, "there are no system outputs", remedy)
    return FormatError(
        name,
        f"there is only one system, {systems[0]}",
        f"{remedy}, such as a human or earlier text as a system of its own; or choose a protocol that rates single outputs (ratings, error spans)",
    )


@contextmanager
def _open_segments(
    recognised: RecognisedSet,
    omissions: Omissions,
    reading: SetReading,
    media: MediaWatch | None = None,
) -> Iterator[Iterator[SegmentTexts]]:
    """Yield the segments as the files have them; note missing outputs in `omissions`."""
    main = recognised.main
    # Pearmut's campaigns name files only in order to show them.
    is_demanded = main.file_format is TestSetFormat.PEARMUT
    names = MediaNames(main.name, recognised.media, media, is_demanded=is_demanded)
    with ExitStack() as stack:

        def opened(file: RecognisedFile) -> InputFile:
            return InputFile(file.name, stack.enter_context(file.file.open()))

        source = opened(main)
        references = [opened(file) for file in recognised.of(FileRole.REFERENCE)]
        systems = {}
        for file in recognised.of(FileRole.SYSTEM):
            systems[file.system or file.name] = opened(file)
        documents = None
        for file in recognised.of(FileRole.DOCUMENTS)[:1]:
            documents = opened(file)
        options = ReadingOptions(
            file_format=main.file_format,
            languages=reading.languages,
            by_paragraph=reading.by_paragraph,
            with_media=bool(recognised.media),
        )
        segments = read_test_set(
            source=source,
            references=references,
            systems=systems,
            documents=documents,
            options=options,
            omissions=omissions,
        )
        yield names.replaced(segments, omissions)


def _classify_by_content(file: StoredFile) -> RecognisedFile:
    """Classify a file by its first bytes. Plain text is SYSTEM until its name is considered."""
    name = file.plain_name
    no_texts = RecognisedFile(
        file,
        FileRole.IGNORED,
        "its file extension is not that of a text file",
    )
    if name.lower().endswith(_NOT_TEXTS):
        return no_texts
    if file_names.says_scores(file.name):
        return RecognisedFile(file, FileRole.IGNORED, "it contains scores, not texts")
    with file.open() as stream:
        head, _whole = peek(InputFile(file.name, stream), SNIFFED_BYTES)
    if _is_side_file(name) and not holds_source(name.lower(), head):
        return no_texts
    recognised = format_of(name.lower(), head)
    if name.lower().endswith(_OTHER_TEXTS) and recognised is not TestSetFormat.TSV:
        return no_texts
    if not head.strip() or b"\0" in head:  # damaged: the reader says how, and where
        return RecognisedFile(
            file,
            FileRole.SYSTEM,
            "it is plain text",
            TestSetFormat.PLAIN,
        )
    if is_json_array(head):
        why = "it is a JSON array, not JSON Lines"
        return RecognisedFile(file, FileRole.IGNORED, why)
    if recognised in {TestSetFormat.JSONL, TestSetFormat.GENMT}:
        return _json_lines(file, head, recognised)
    if recognised in _WHOLE:
        return RecognisedFile(
            file,
            FileRole.WHOLE,
            f"it is {recognised.label}",
            recognised,
        )
    if recognised is TestSetFormat.SGML:
        return _sgml(file, head)
    return _plain_or_markup(file, head)


def _is_side_file(name: str) -> bool:
    """Return whether a file tells about others, such as README.txt."""
    first, _dot, _rest = name.partition(".")
    return first.upper() in _SIDE_NAMES


def _plain_or_markup(file: StoredFile, head: bytes) -> RecognisedFile:
    if _PAGE.match(head):
        # Servers send a page in place of a missing file.
        why = "the file is a web page"
        remedy = "download the file itself, or remove it"
        refusal = FormatError(file.name, why, remedy)
        return RecognisedFile(
            file,
            FileRole.IGNORED,
            "it is a web page",
            refusal=refusal,
        )
    if is_subtitles(head):
        problem = f"the file is {SUBTITLES}"
        return RecognisedFile(
            file,
            FileRole.IGNORED,
            f"it is {SUBTITLES}",
            refusal=FormatError(file.name, problem, SUBTITLES_AS_LINES),
        )
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<!DOCTYPE")):
        return _unknown(file, "it is XML, but not in the WMT format")
    return RecognisedFile(
        file,
        FileRole.SYSTEM,
        "it is plain text",
        TestSetFormat.PLAIN,
    )


def _json_lines(
    file: StoredFile,
    head: bytes,
    test_set_format: TestSetFormat,
) -> RecognisedFile:
    if test_set_format is TestSetFormat.JSONL:
        if holds_key(head, "source") or "source" in _first_keys(file):
            return RecognisedFile(
                file,
                FileRole.WHOLE,
                f"it is {test_set_format.label}",
                test_set_format,
            )
    elif holds_key(head, "src_text"):
        return RecognisedFile(
            file,
            FileRole.SOURCE,
            "its lines have doc_id and src_text",
            test_set_format,
        )
    elif holds_key(head, *OUTPUT_KEYS):
        return RecognisedFile(
            file,
            FileRole.SYSTEM,
            "its lines have doc_id and an output",
            test_set_format,
        )
    unknown = _unknown(file, "it is JSON without sources and outputs")
    if (
        file.plain_name.lower().endswith(JSON_ENDINGS)
        and unknown.role is FileRole.IGNORED
    ):
        return replace(unknown, refusal=_broken_line(file))
    return unknown


def _broken_line(file: StoredFile) -> FormatError | None:
    """Return the error of the first line if it is not JSON: the file could be anything, even an output."""
    with file.open() as stream:
        try:
            next(object_lines(InputFile(file.name, stream), "an object"), None)
        except FormatError as error:
            return error
    return None


def _unknown(file: StoredFile, why: str) -> RecognisedFile:
    """Leave out a file of an unknown kind; keep it in a folder of outputs, so that the reader refuses it."""
    if file_names.in_systems_folder(file.name):
        return RecognisedFile(file, FileRole.SYSTEM, f"{why}, in a folder of outputs")
    return RecognisedFile(file, FileRole.IGNORED, why)


def _sgml(file: StoredFile, head: bytes) -> RecognisedFile:
    tag = set_tag(head.decode("utf-8", errors="replace"))
    if tag is None:
        return _unknown(file, "it is SGML without srcset, refset or tstset")
    role = _ROLES_OF_SETS[tag]
    return RecognisedFile(file, role, f"it is SGML with a {tag}", TestSetFormat.SGML)


def _assign_plain_roles(files: list[RecognisedFile]) -> list[RecognisedFile]:
    """Assign roles to plain text files by name, or by language if no name contains "source"."""
    has_whole_set = any(file.role is FileRole.WHOLE for file in files)
    roles: dict[str, _Role] = {}
    for file in files:
        if file.role is FileRole.SYSTEM and file.file_format is TestSetFormat.PLAIN:
            roles[file.name] = _plain_role(file.name)
            if has_whole_set:
                why = "it is plain text next to a complete test set"
                roles[file.name] = _Role(FileRole.IGNORED, why)
    has_source = any(plain.role is FileRole.SOURCE for plain in roles.values())
    if not has_source and not has_whole_set:
        outputs = [
            name for name, plain in roles.items() if plain.role is FileRole.SYSTEM
        ]
        roles |= _roles_by_language(outputs)
    with_roles = []
    for file in files:
        plain = roles.get(file.name, _Role(file.role, file.why))
        with_roles.append(replace(file, role=plain.role, why=plain.why))
    return with_roles


class _Role(NamedTuple):
    """The role of a file, and the reason."""

    role: FileRole
    why: str


def _plain_role(name: str) -> _Role:
    if file_names.in_systems_folder(name):
        return _Role(FileRole.SYSTEM, "it is plain text in a folder of outputs")
    role = FileRole.SYSTEM
    if file_names.says_documents(name):
        role = FileRole.DOCUMENTS
    elif file_names.says_source(name):
        role = FileRole.SOURCE
    elif file_names.says_reference(name):
        role = FileRole.REFERENCE
    if role is FileRole.SYSTEM:
        return _Role(role, "it is plain text without a special name")
    return _Role(role, f"it is plain text with {role} in its name")


def _roles_by_language(names: Sequence[str]) -> dict[str, _Role]:
    """Take the only file in its language as the source, and its namesake as the reference."""
    names_by_tag = defaultdict[str | None, list[str]](list)
    for name in names:
        names_by_tag[file_names.last_language(name)].append(name)
    single = [tag for tag, alike in names_by_tag.items() if len(alike) == 1]
    if len(names_by_tag) != 2 or len(single) != 1 or None in names_by_tag:
        return {}
    source = names_by_tag[single[0]][0]
    why = f"it is the only file ending in {single[0]}"
    roles = {source: _Role(FileRole.SOURCE, why)}
    beginning = _name_without_last_part(source)
    for name in names:
        if name != source and _name_without_last_part(name) == beginning:
            why = f"it is named like the source {source}"
            roles[name] = _Role(FileRole.REFERENCE, why)
    return roles


def _name_without_last_part(name: str) -> str:
    return file_names.stem(name).rsplit(".", 1)[0]


def _ignore_other_pairs(
    files: list[RecognisedFile],
    languages: tuple[str, str] | None,
) -> list[RecognisedFile]:
    """Leave out files whose names belong to the language pair of another source than the chosen one."""
    if languages is None:
        return files
    pairs = set()
    for file in files:
        pair = file_names.language_pair(file.name)
        if file.role is FileRole.SOURCE and pair:
            pairs.add(pair)
    others = {pair for pair in pairs if not matches(pair, languages)}
    if pairs == others:
        return files
    of_pair = []
    for file in files:
        pairs_of_file = file_names.language_pairs(file.name) & pairs
        is_of_others = bool(pairs_of_file) and pairs_of_file <= others
        if is_of_others and file.role is not FileRole.IGNORED:
            why = "it has a different language pair than the one chosen"
            of_pair.append(_ignore_file(file, why))
        else:
            of_pair.append(file)
    return of_pair


def _ignore_file(file: RecognisedFile, why: str) -> RecognisedFile:
    return replace(file, role=FileRole.IGNORED, why=why, system=None)


def _assign_system_names(files: list[RecognisedFile]) -> list[RecognisedFile]:
    systems = [file.name for file in files if file.role is FileRole.SYSTEM]
    names = dict(zip(systems, file_names.system_names(systems), strict=True))
    with_names = []
    for file in files:
        if file.role is not FileRole.SYSTEM:
            with_names.append(file)
            continue
        system = names[file.name]
        problem = system_name_problem(system)
        refusal = None
        if problem:
            refusal = FormatError(file.name, problem, "rename the file")
        with_names.append(replace(file, system=system, refusal=refusal))
    return with_names


def _reclassify_references(files: list[RecognisedFile]) -> list[RecognisedFile]:
    """Treat outputs called refA as references, unless the set already has the same reference."""
    references = [file for file in files if file.role is FileRole.REFERENCE]
    sources = [file for file in files if file.role is FileRole.SOURCE]

    def checked(file: RecognisedFile) -> RecognisedFile:
        if file.role is not FileRole.SYSTEM:
            return file
        if not file_names.is_reference_name(file.system or ""):
            return file
        if file.file_format is TestSetFormat.GENMT and len(sources) == 1:
            if _is_reference_of(sources[0], file):
                return _ignore_file(file, f"it is a reference of {sources[0].name}")
            return file
        if file.file_format is not TestSetFormat.PLAIN:
            return file
        for reference in references:
            if _is_same_text(reference, file):
                why = f"it is identical to the reference {reference.name}"
                return _ignore_file(file, why)
        why = "it is among the outputs and named as a reference"
        return replace(file, role=FileRole.REFERENCE, why=why, system=None)

    return [checked(file) for file in files]


def _is_reference_of(source: RecognisedFile, output: RecognisedFile) -> bool:
    """Return whether a file of outputs in WMT's JSON Lines repeats a reference in the source's lines."""
    names_by_id: dict[str, set[str]] = {}
    with (
        source.file.open() as source_stream,
        output.file.open() as output_stream,
    ):
        try:
            texts = {}
            for line in genmt_outputs(InputFile(output.name, output_stream)):
                texts[line.id] = hash(line.text)
            for source_line in genmt_sources(InputFile(source.name, source_stream)):
                text = texts.get(source_line.id)
                if text is not None:
                    names_by_id[source_line.id] = {
                        name
                        for name, reference in source_line.references.items()
                        if hash(reference) == text
                    }
        except FormatError:
            return False
    if not names_by_id or texts.keys() != names_by_id.keys():
        return False
    return bool(set.intersection(*names_by_id.values()))


def _is_same_text(one: RecognisedFile, other: RecognisedFile) -> bool:
    with one.file.open() as one_stream, other.file.open() as other_stream:
        lines = text_lines(InputFile(one.name, one_stream))
        other_lines = text_lines(InputFile(other.name, other_stream))
        try:
            pairs = zip(lines, other_lines, strict=True)
            return all(line.strip() == same.strip() for line, same in pairs)
        except (FormatError, ValueError):
            return False


def _refuse_disguised_outputs(files: list[RecognisedFile]) -> list[RecognisedFile]:
    """Refuse files that look like outputs but do not have the extension of a text file."""
    sources = [file for file in files if file.role in {FileRole.SOURCE, FileRole.WHOLE}]
    lines = None
    if len(sources) == 1:
        lines = _line_count(sources[0])
    tags = _last_languages(files, FileRole.SYSTEM)

    def is_output(file: RecognisedFile) -> bool:
        name = file.file.plain_name
        if not name.lower().endswith(_OTHER_TEXTS) or file.role is not FileRole.IGNORED:
            return False
        if file_names.says_scores(file.name) or _is_side_file(name):
            return False
        if file_names.in_systems_folder(file.name):
            return True
        if sources and sources[0].role is FileRole.WHOLE:
            return False
        base, _dot, _ending = name.rpartition(".")
        if file_names.last_language(base) in tags:
            return True
        return lines is not None and _line_count(file) == lines

    def refused(file: RecognisedFile) -> RecognisedFile:
        refusal = FormatError(
            file.name,
            "its extension is not that of a text file, but it looks like a system output",
            "rename it if it is one (alpha.de, alpha.txt), or remove it",
        )
        return replace(file, refusal=refusal)

    return [refused(file) if is_output(file) else file for file in files]


def _line_count(file: RecognisedFile) -> int | None:
    with file.file.open() as stream:
        try:
            return sum(1 for _line in text_lines(InputFile(file.name, stream)))
        except FormatError:
            return None


def _languages(files: Sequence[RecognisedFile]) -> tuple[str, str] | None:
    """Return the language pair in most file names; otherwise the languages in which sources and targets end."""
    pairs = Counter[tuple[str, str]]()
    for file in files:
        pair = file_names.language_pair(file.name)
        if pair and file.role is not FileRole.IGNORED:
            pairs[pair] += 1
    if pairs:
        most = max(pairs.values())
        most_frequent = [pair for pair, count in pairs.items() if count == most]
        if len(most_frequent) == 1:
            return most_frequent[0]
        return None
    sources = _last_languages(files, FileRole.SOURCE)
    targets = _last_languages(files, FileRole.REFERENCE, FileRole.SYSTEM)
    if len(sources) == 1 and len(targets) == 1:
        return sources.pop(), targets.pop()
    return None


def _last_languages(files: Sequence[RecognisedFile], *roles: FileRole) -> set[str]:
    """Return the languages in which the names of files with these roles end."""
    languages = set()
    for file in files:
        language = file_names.last_language(file.name)
        if language and file.role in roles:
            languages.add(language)
    return languages
