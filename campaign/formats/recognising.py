"""Detection of each file's role in a test set: source, reference, system output, or none."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest
from typing import Final

from campaign.formats import file_names
from campaign.formats.archives import is_litter
from campaign.formats.errors import FormatError
from campaign.formats.file_names import matches
from campaign.formats.genmt import OUTPUT_KEYS, genmt_outputs, genmt_sources
from campaign.formats.json_text import decode_object
from campaign.formats.known_files import known_file_error
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
    TestSetFormat,
    format_of,
    holds_key,
    is_json_array,
    read_test_set,
)

_NOT_TEXTS: Final = (".md", ".pdf", ".py", ".sh")
# Extensions of other files that may still hold the output of a system.
_OTHER_TEXTS: Final = (".csv", ".html", ".log", ".xlsx", ".docx", ".parquet")
_SIDE_NAMES: Final = frozenset(
    {"README", "LICENSE", "LICENCE", "NOTICE", "CHANGELOG", "MANIFEST"}
)
#: Judges rank systems against each other.
FEWEST_SYSTEMS: Final = 2
_NAMED: Final = 5
_IN_OFFICE_FILES: Final = "[Content_Types].xml"
_PAGE: Final = re.compile(rb"[\xef\xbb\xbf\s]*<(!doctype )?html\b", re.IGNORECASE)
_WHOLE: Final = frozenset(
    {TestSetFormat.TSV, TestSetFormat.WMT_XML, TestSetFormat.PEARMUT}
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
        left = [(file.name, file.why) for file in self.of(FileRole.IGNORED)]
        if self.litter:
            what = counted(self.litter, "hidden or temporary file")
            left.append((what, "left by operating systems and editors"))
        return left

    def of(self, role: FileRole) -> list[RecognisedFile]:
        """Return the files of a role, in order."""
        return [file for file in self.files if file.role is role]

    def size(self) -> int:
        """Return the number of bytes in the files that are not left out."""
        used = [file.file for file in self.files if file.role is not FileRole.IGNORED]
        return sum(file.size() for file in (*used, *self.media))

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
        if not main_files:
            for file in self.of(FileRole.SYSTEM):
                _refuse_unreadable(file.file)
            if len(self.files) == 1:
                _refuse_by_name(self.files[0])
            left = "".join(f"; {name}: {why}" for name, why in self.left_out[:_NAMED])
            raise FormatError(
                self.name,
                f"no file was recognised as the source or as a complete test set{left}",
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
    """Raise FormatError if a file does not begin with text."""
    with file.open() as stream:
        next(text_lines(InputFile(file.name, stream)), None)


def recognise(
    name: str, files: Sequence[StoredFile], languages: tuple[str, str] | None = None
) -> RecognisedSet:
    """Detect the role of each file, by its first bytes and then by its name. Errors call all of them `name`.

    `languages` chooses one of several language pairs, as in EvalSet folders; files of other pairs are left out.

    The result depends only on names and bytes, and `RecognisedFile.why` explains each decision.

    Raises FormatError only for gzip that is damaged at its very beginning.
    """
    relevant = [file for file in files if not is_litter(file.name)]
    media = tuple(file for file in relevant if is_media_name(file.name))
    texts = [_by_content(file) for file in relevant if file not in media]
    seen = _of_pair(_with_plain_roles(texts), languages)
    if media and not any(file.role in _HAS_OUTPUTS for file in seen):
        lists = [_by_content(file) for file in folder_lists(media)]
        seen = _with_plain_roles([*texts, *lists])
    seen = _with_disguised(_without_references(_with_system_names(seen)))
    litter = len(files) - len(relevant)
    return RecognisedSet(name, tuple(seen), _languages(seen), litter, media)


def with_roles(
    recognised: RecognisedSet, chosen: Mapping[str, tuple[FileRole, str | None]]
) -> RecognisedSet:
    """Return the files with some roles replaced by the user's choices, by file name.

    Each choice is a role and the name of the system; None keeps the detected name. A file without a format is
    read as plain text.
    """
    files = []
    for file in recognised.files:
        role, system = chosen.get(file.name, (file.role, file.system))
        if (role, system) != (file.role, file.system):
            named = system or file.system or file_names.system_names([file.name])[0]
            file = replace(  # noqa: PLW2901
                file,
                role=role,
                why="its role was chosen by hand",
                file_format=file.file_format or TestSetFormat.PLAIN,
                system=named if role is FileRole.SYSTEM else None,
                refusal=None,
            )
        files.append(file)
    return replace(recognised, files=tuple(files))


@dataclass(frozen=True, slots=True, kw_only=True)
class SetReading:
    """Options for reading recognised files, shared by check and import.

    `languages` chooses one of several pairs in a file. With `common_documents`, only documents that all systems
    cover are read. The first reference is also ranked, as `reference_system`.
    """

    languages: tuple[str, str] | None = None
    by_paragraph: bool = False
    common_documents: bool = False
    reference_system: str | None = None


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
    refusal = next((file.refusal for file in recognised.files if file.refusal), None)
    if refusal is not None:
        raise refusal
    _refuse_single_text(recognised)
    reference_system = reading.reference_system
    if not reading.common_documents:
        with _opened(recognised, omissions, reading, media) as segments:
            all_covered = complete(segments, omissions)
            rankable = _rankable(all_covered, recognised.main.name, reference_system)
            yield noticed(rankable, omissions, reference_system)
        return
    uncovered = Omissions()
    systems = dict[str, None]()
    documents = set[str]()
    with _opened(recognised, uncovered, reading) as segments:
        for segment in segments:
            systems |= dict.fromkeys(segment.outputs)
            documents.add(segment.document)
    if documents <= uncovered.uncovered.keys():
        uncovered.refuse_uncovered(len(documents))
    for document, lacking in uncovered.uncovered.items():
        why = f"not covered by {named(lacking)}"
        omissions.left_out.append((f'document "{document}"', why))
    with _opened(recognised, omissions, reading, media) as segments:
        common = (each for each in segments if each.document not in uncovered.uncovered)
        renumbered = (
            replace(
                each,
                number=number,
                outputs={name: each.outputs[name] for name in systems},
            )
            for number, each in enumerate(common, 1)
        )
        rankable = _rankable(renumbered, recognised.main.name, reference_system)
        yield noticed(rankable, omissions, reference_system)


def _refuse_single_text(recognised: RecognisedSet) -> None:
    """Refuse a single file that is no test set."""
    main = recognised.main
    if len(recognised.files) == 1 and main.file_format is TestSetFormat.PLAIN:
        _refuse_by_name(main)


def _refuse_by_name(file: RecognisedFile) -> None:
    """Raise FormatError for a single file that is no test set, and name its kind; pass over an empty one."""
    with file.file.open() as stream:
        head, _whole = peek(InputFile(file.name, stream), SNIFFED_BYTES)
    if head.strip():
        raise known_file_error(file.name, head) or FormatError(
            file.name,
            "it is a single file without the header of a table",
            "name the columns in the first line (source and one for each system), or give a file for each system",
        )


def _rankable(
    segments: Iterator[SegmentTexts], name: str, reference_system: str | None
) -> Iterator[SegmentTexts]:
    """Yield the segments; refuse too few systems, and a system with the name reserved for the reference."""
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
    if len(systems) < FEWEST_SYSTEMS:
        raise FormatError(
            name,
            f"there is only one system, {systems[0]}"
            if systems
            else "there are no system outputs",
            "provide outputs of at least two systems",
        )


@contextmanager
def _opened(
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

        documents = recognised.of(FileRole.DOCUMENTS)
        segments = read_test_set(
            source=opened(main),
            references=[opened(file) for file in recognised.of(FileRole.REFERENCE)],
            systems={
                file.system or file.name: opened(file)
                for file in recognised.of(FileRole.SYSTEM)
            },
            documents=opened(documents[0]) if documents else None,
            file_format=main.file_format,
            languages=reading.languages,
            by_paragraph=reading.by_paragraph,
            with_media=bool(recognised.media),
            omissions=omissions,
        )
        yield names.replaced(segments, omissions)


def _by_content(file: StoredFile) -> RecognisedFile:
    """Classify a file by its first bytes. Plain text is SYSTEM until its name is considered."""
    name = file.plain_name
    no_texts = RecognisedFile(
        file, FileRole.IGNORED, "its file extension is not that of a text file"
    )
    if name.split(".")[0].upper() in _SIDE_NAMES or name.lower().endswith(_NOT_TEXTS):
        return no_texts
    if file_names.says_scores(file.name):
        return RecognisedFile(file, FileRole.IGNORED, "it contains scores, not texts")
    with file.open() as stream:
        head, _whole = peek(InputFile(file.name, stream), SNIFFED_BYTES)
    recognised = format_of(name.lower(), head)
    if name.lower().endswith(_OTHER_TEXTS) and recognised is not TestSetFormat.TSV:
        return no_texts
    if not head.strip() or b"\0" in head:  # damaged: the reader says how, and where
        return RecognisedFile(
            file, FileRole.SYSTEM, "it is plain text", TestSetFormat.PLAIN
        )
    if is_json_array(head):
        why = "it is a JSON array, not JSON Lines"
        return RecognisedFile(file, FileRole.IGNORED, why)
    if recognised in {TestSetFormat.JSONL, TestSetFormat.GENMT}:
        return _json_lines(file, head, recognised)
    if recognised in _WHOLE:
        return RecognisedFile(
            file, FileRole.WHOLE, f"it is {recognised.words}", recognised
        )
    if recognised is TestSetFormat.SGML:
        return _sgml(file, head)
    return _plain_or_markup(file, head)


def _plain_or_markup(file: StoredFile, head: bytes) -> RecognisedFile:
    if _PAGE.match(head):
        # Servers send a page in place of a missing file.
        why = "the file is a web page"
        remedy = "download the file itself, or remove it"
        refusal = FormatError(file.name, why, remedy)
        return RecognisedFile(
            file, FileRole.IGNORED, "it is a web page", refusal=refusal
        )
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<!DOCTYPE")):
        return _unknown(file, "it is XML, but not in the WMT format")
    return RecognisedFile(
        file, FileRole.SYSTEM, "it is plain text", TestSetFormat.PLAIN
    )


def _json_lines(
    file: StoredFile, head: bytes, test_set_format: TestSetFormat
) -> RecognisedFile:
    if test_set_format is TestSetFormat.JSONL:
        if holds_key(head, "source"):
            return RecognisedFile(
                file, FileRole.WHOLE, f"it is {test_set_format.words}", test_set_format
            )
    elif holds_key(head, "src_text"):
        return RecognisedFile(
            file, FileRole.SOURCE, "its lines have doc_id and src_text", test_set_format
        )
    elif holds_key(head, *OUTPUT_KEYS):
        return RecognisedFile(
            file,
            FileRole.SYSTEM,
            "its lines have doc_id and an output",
            test_set_format,
        )
    left = _unknown(file, "it is JSON without sources and outputs")
    if file.plain_name.lower().endswith(JSON_ENDINGS) and left.role is FileRole.IGNORED:
        return replace(left, refusal=_broken_line(file))
    return left


def _broken_line(file: StoredFile) -> FormatError | None:
    """Return the error of the first line if it is not JSON: the file could be anything, even an output."""
    with file.open() as stream:
        lines = enumerate(text_lines(InputFile(file.name, stream)), 1)
        try:
            number, text = next((line for line in lines if line[1].strip()), (0, "{}"))
            decode_object(text, file=file.name, line=number, shape="an object")
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
    role = {
        "srcset": FileRole.SOURCE,
        "refset": FileRole.REFERENCE,
        "tstset": FileRole.SYSTEM,
    }.get(tag or "")
    if role is None:
        return _unknown(file, "it is SGML without srcset, refset or tstset")
    return RecognisedFile(file, role, f"it is SGML with a {tag}", TestSetFormat.SGML)


def _with_plain_roles(files: list[RecognisedFile]) -> list[RecognisedFile]:
    """Assign roles to plain text files by name, or by language if no name contains "source"."""
    plain = {
        file.name
        for file in files
        if file.role is FileRole.SYSTEM and file.file_format is TestSetFormat.PLAIN
    }
    if any(file.role is FileRole.WHOLE for file in files):
        left = FileRole.IGNORED, "it is plain text next to a complete test set"
        roles = dict.fromkeys(plain, left)
    else:
        roles = {
            file.name: _plain_role(file.name) for file in files if file.name in plain
        }
        if not any(role is FileRole.SOURCE for role, _why in roles.values()):
            roles |= _roles_by_language(
                [n for n, (role, _) in roles.items() if role is FileRole.SYSTEM]
            )
    return [
        replace(file, role=roles[file.name][0], why=roles[file.name][1])
        if file.name in roles
        else file
        for file in files
    ]


def _plain_role(name: str) -> tuple[FileRole, str]:
    if file_names.in_systems_folder(name):
        return FileRole.SYSTEM, "it is plain text in a folder of outputs"
    for says, role in (
        (file_names.says_documents, FileRole.DOCUMENTS),
        (file_names.says_source, FileRole.SOURCE),
        (file_names.says_reference, FileRole.REFERENCE),
    ):
        if says(name):
            return role, f"it is plain text with {role} in its name"
    return FileRole.SYSTEM, "it is plain text without a special name"


def _roles_by_language(names: Sequence[str]) -> dict[str, tuple[FileRole, str]]:
    """Take the only file in its language as the source, and its namesake as the reference."""
    tags = {name: file_names.last_language(name) for name in names}
    count = Counter(tag for tag in tags.values() if tag)
    single = [name for name, tag in tags.items() if tag and count[tag] == 1]
    if len(count) != 2 or len(single) != 1 or None in tags.values():
        return {}
    source = single[0]
    roles = {source: (FileRole.SOURCE, f"it is the only file ending in {tags[source]}")}
    beginning = file_names.stem(source).rsplit(".", 1)[0]
    for name in names:
        if name != source and file_names.stem(name).rsplit(".", 1)[0] == beginning:
            roles[name] = (FileRole.REFERENCE, f"it is named like the source {source}")
    return roles


def _of_pair(
    files: list[RecognisedFile], languages: tuple[str, str] | None
) -> list[RecognisedFile]:
    """Leave out files whose names belong to the language pair of another source than the chosen one."""
    found = {
        file_names.language_pair(f.name) for f in files if f.role is FileRole.SOURCE
    }
    pairs = {pair for pair in found if pair}
    others = {pair for pair in pairs if languages and not matches(pair, languages)}
    if not pairs - others:
        return files
    why = "it has a different language pair than the one chosen"

    def is_of_others(file: RecognisedFile) -> bool:
        named = file_names.language_pairs(file.name) & pairs
        return file.role is not FileRole.IGNORED and bool(named) and named <= others

    return [_ignored(file, why) if is_of_others(file) else file for file in files]


def _ignored(file: RecognisedFile, why: str) -> RecognisedFile:
    return replace(file, role=FileRole.IGNORED, why=why, system=None)


def _with_system_names(files: list[RecognisedFile]) -> list[RecognisedFile]:
    systems = [file.name for file in files if file.role is FileRole.SYSTEM]
    named = dict(zip(systems, file_names.system_names(systems), strict=True))

    def with_name(file: RecognisedFile) -> RecognisedFile:
        problem = system_name_problem(named[file.name])
        refusal = None
        if problem:
            refusal = FormatError(file.name, problem, "rename the file")
        return replace(file, system=named[file.name], refusal=refusal)

    return [with_name(file) if file.role is FileRole.SYSTEM else file for file in files]


def _without_references(files: list[RecognisedFile]) -> list[RecognisedFile]:
    """Treat outputs called refA as references, unless the set already has the same reference."""
    known = [file for file in files if file.role is FileRole.REFERENCE]
    sources = [file for file in files if file.role is FileRole.SOURCE]

    def checked(file: RecognisedFile) -> RecognisedFile:
        if file.role is not FileRole.SYSTEM or not file_names.is_reference_name(
            file.system or ""
        ):
            return file
        if file.file_format is TestSetFormat.GENMT and len(sources) == 1:
            held = _is_reference_of(sources[0], file)
            if held:
                return _ignored(file, f"it is a reference of {sources[0].name}")
            return file
        if file.file_format is not TestSetFormat.PLAIN:
            return file
        if same := next((each for each in known if _is_same_text(each, file)), None):
            return _ignored(file, f"it is identical to the reference {same.name}")
        why = "it is among the outputs and named as a reference"
        return replace(file, role=FileRole.REFERENCE, why=why, system=None)

    return [checked(file) for file in files]


def _is_reference_of(source: RecognisedFile, output: RecognisedFile) -> bool:
    """Return whether a file of outputs in WMT's JSON Lines repeats a reference in the source's lines."""
    with source.file.open() as here, output.file.open() as there:
        try:
            texts = {
                genmt_output.id: hash(genmt_output.text)
                for genmt_output in genmt_outputs(InputFile(output.name, there))
            }
            covered = {}
            for genmt_source in genmt_sources(InputFile(source.name, here)):
                if genmt_source.id in texts:
                    covered[genmt_source.id] = {
                        name
                        for name, text in genmt_source.references.items()
                        if hash(text) == texts[genmt_source.id]
                    }
        except FormatError:
            return False
    if covered:
        shared = set.intersection(*covered.values())
    else:
        shared = set()
    return texts.keys() == covered.keys() and bool(shared)


def _is_same_text(one: RecognisedFile, other: RecognisedFile) -> bool:
    with one.file.open() as here, other.file.open() as there:
        pairs = zip_longest(
            text_lines(InputFile(one.name, here)),
            text_lines(InputFile(other.name, there)),
        )
        try:
            return all(
                a is not None and b is not None and a.strip() == b.strip()
                for a, b in pairs
            )
        except FormatError:
            return False


def _with_disguised(files: list[RecognisedFile]) -> list[RecognisedFile]:
    """Refuse files that look like outputs but do not have the extension of a text file."""
    sources = [f for f in files if f.role in {FileRole.SOURCE, FileRole.WHOLE}]
    tags = {
        file_names.last_language(f.name) for f in files if f.role is FileRole.SYSTEM
    } - {None}
    lines = None
    if len(sources) == 1:
        lines = _line_count(sources[0])

    def is_output(file: RecognisedFile) -> bool:
        name = file.file.plain_name
        if not name.lower().endswith(_OTHER_TEXTS) or file.role is not FileRole.IGNORED:
            return False
        if (
            file_names.says_scores(file.name)
            or name.split(".")[0].upper() in _SIDE_NAMES
        ):
            return False
        if file_names.in_systems_folder(file.name):
            return True
        if sources and sources[0].role is FileRole.WHOLE:
            return False
        ends = file_names.last_language(name.rpartition(".")[0])
        return ends in tags or (lines is not None and _line_count(file) == lines)

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
    used = [file for file in files if file.role is not FileRole.IGNORED]
    pairs = Counter(
        pair for file in used if (pair := file_names.language_pair(file.name))
    )
    if pairs:
        (best, most), *others = pairs.most_common()
        if all(number < most for _pair, number in others):
            return best
        return None
    sources = [f for f in used if f.role is FileRole.SOURCE]
    targets = [f for f in used if f.role in {FileRole.REFERENCE, FileRole.SYSTEM}]
    source = {tag for f in sources if (tag := file_names.last_language(f.name))}
    target = {tag for f in targets if (tag := file_names.last_language(f.name))}
    if len(source) == 1 and len(target) == 1:
        return source.pop(), target.pop()
    return None
