"""Names of pictures, recordings and videos in the texts of a test set.

A text may be the name of a file, contain the names of files as words, show files with tags of HTML, as in Pearmut's
campaigns, or contain whole files in base64. Each of these is replaced by the mark of its file (`campaign.texts.media`).
"""

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from io import BufferedReader, BytesIO
from itertools import chain
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote

from campaign.formats.errors import FormatError
from campaign.formats.omissions import Omissions, named
from campaign.formats.records import MediaFile, SegmentTexts
from campaign.formats.segmentation import (
    PART_BEGINS,
    Clip,
    Part,
    clips,
    part_cut,
    part_of,
)
from campaign.formats.streams import StoredFile
from campaign.texts.media import (
    MARK,
    MARK_BEGINS,
    marked_text,
    media_ending,
    media_mark,
)

#: Also endings of types that are refused by name.
_ENDING: Final = r"\.(?:png|jpe?g|webp|gif|svg|bmp|wav|flac|mp3|opus|ogg|m4a|aac|aiff?|mp4|webm|mov|mkv|avi)(?:\.gz)?"
_FILE: Final = re.compile(rf"[^\r\n<>|]{{1,500}}{_ENDING}", re.IGNORECASE)
#: A name among words, with the part of a recording that is shown, as in addresses of the web.
_WORD: Final = rf"(?<!\S)([^\s<>|]{{1,500}}{_ENDING}(?:#[^\s<>|]{{0,200}})?)(?!\S)"
_WHOLE_WORD: Final = re.compile(_WORD, re.IGNORECASE)
_TAG: Final = r"<(img|audio|video)\b(?:[^>]*>\s*<source\b)?[^>]*?\bsrc\s*=\s*[\"']?([^\"'>\s]+)[^>]*>(?:\s*</\2>)?"
#: A file within the text, also in Markdown.
_EMBEDDED: Final = (
    r"(?:!\[[^\]\r\n]{0,500}\]\()?(data:(?:image|audio|video)/[^\s\"'<>()]+)\)?"
)
_EMBEDDED_BEGINS: Final = "data:"
#: The first bytes of supported files in base64, for texts that are nothing else, possibly in lines.
_BASE64: Final = re.compile(
    r"(?:data:(?:image|audio|video)/[^\s,]{1,100},)?"
    r"((?=iVBORw0KGgo|/9j/|UklGR|T2dnUw|ZkxhQ|SUQz|GkXfo)(?=\S{60})"
    r"(?:[A-Za-z0-9+/]{60,}\s+)*[A-Za-z0-9+/]+={0,2})",
)
#: Marks of exported texts, tags, embedded files and words.
_REFERENCE: Final = re.compile(
    rf"{MARK.pattern}|{_TAG}|{_EMBEDDED}|{_WORD}",
    re.IGNORECASE,
)
_SEGMENTATIONS: Final = (".yaml", ".yml")
_DIGITS: Final = re.compile(r"([0-9]+)")

MediaWatch = Callable[[MediaFile], object]


def is_media_name(name: str) -> bool:
    """Return whether a file is a picture, sound, video or segmentation of recordings by its ending."""
    return _FILE.fullmatch(name) is not None or name.endswith(_SEGMENTATIONS)


class MediaNames:
    """Replaces names of files by marks, and reads each file once; `watch` receives its content.

    `is_demanded` refuses names of missing files even if there are no files at all.
    """

    def __init__(
        self,
        set_name: str,
        files: Sequence[StoredFile],
        watch: MediaWatch | None = None,
        *,
        is_demanded: bool = False,
    ) -> None:
        self._called = set_name
        self._watch = watch
        self._is_demanded = is_demanded or bool(files)
        self._files: dict[str, list[StoredFile]] = {}
        # The clip of each segment, in order.
        self._clips: list[Clip] = []
        for file in files:
            if file.name.endswith(_SEGMENTATIONS):
                self._clips += clips(file)
            else:
                self._files.setdefault(_last_part(file.name), []).append(file)
        # By the name of the file, or the digest of one within a text, and the part.
        self._marks: dict[tuple[str, Part | None], str] = {}
        self._endings: dict[str, set[str]] = {}
        # Names of files by their marks; empty for files within texts.
        self.called: dict[str, str] = {}

    def replaced(
        self,
        segments: Iterator[SegmentTexts],
        omissions: Omissions,
    ) -> Iterator[SegmentTexts]:
        """Yield the segments with marks for names.

        Raises FormatError for a name of a missing file, a remote address, and a file that cannot be shown. Without
        files, texts that are names stay, unless all outputs of the first segment are names, or its source is the
        remote address of a file.
        """
        omissions.media = self.called
        count = 0
        for segment in segments:
            if count == 0 and _is_about_media(segment):
                self._is_demanded = True
            yield self._segment(segment)
            count += 1
        if self._clips and len(self._clips) != count:
            raise FormatError(
                self._called,
                f"it has {count:,} segments, but the segmentation has {len(self._clips):,}",
                "provide one segment of the recordings for each line of the source",
            )
        self._report(omissions)

    def _segment(self, segment: SegmentTexts) -> SegmentTexts:
        of = f"of segment {segment.number:,}"
        outputs = {}
        for system, text in segment.outputs.items():
            output = self._text(text, f"the output of {system} {of}")
            outputs[system] = output
            endings = map(media_ending, marked_text(output).media)
            self._endings.setdefault(system, set()).update(endings)
        source = self._text(segment.source, f"the source {of}")
        for clip in self._clips[segment.number - 1 : segment.number]:
            whose = f"the source {of}"
            mark = self._part_mark(self._file(clip.wav, whose), clip.part, whose)
            source = f"{source} {mark}".strip()
        references = []
        for text in segment.references:
            references.append(self._text(text, f"a reference {of}"))
        return replace(
            segment,
            source=source,
            references=tuple(references),
            outputs=outputs,
        )

    def _text(self, text: str, whose: str) -> str:
        """Return a text with marks for the files that it names."""
        whole_file = _BASE64.fullmatch(text)
        if whole_file:
            return self._embedded_mark("".join(whole_file[1].split()), whose)
        is_demanded = self._is_demanded or MARK_BEGINS in text
        if not is_demanded and _EMBEDDED_BEGINS not in text:
            return text
        if self._fitting(text):
            return self._mark(text, whose)
        is_name = _WHOLE_WORD.fullmatch(text) is not None

        def marked(reference: re.Match[str]) -> str:
            exported, _tag, address, embedded, word = reference.groups()
            if exported:
                return f" {self._mark(exported, whose)}"
            if embedded or (address and address.startswith(_EMBEDDED_BEGINS)):
                _type, _comma, content = (embedded or address).partition(",")
                return self._embedded_mark(content, whose)
            if not is_demanded:
                return reference[0]
            if address:
                return self._mark(address, whose)
            file_name, _sign, _part = word.partition("#")
            is_part = PART_BEGINS in word or self._fitting(file_name)
            if is_name or is_part or self._fitting(word):
                return self._mark(word, whose)
            return str(word)

        return _REFERENCE.sub(marked, text).strip()

    def _embedded_mark(self, content: str, whose: str) -> str:
        """Return the mark of a file that a text contains in base64."""
        key = (sha256(content.encode()).hexdigest(), None)
        if key not in self._marks:
            try:
                data = b64decode(unquote(content), validate=True)
            except ValueError as error:
                raise FormatError(
                    self._called,
                    f"{whose} contains a file that is not complete base64",
                    "write data:image/png;base64, and the whole file, or give the name of a file",
                ) from error
            file = StoredFile(f"{self._called}, {whose}", partial(_open_content, data))
            self._marks[key] = self._mark_of(file, "")
        return self._marks[key]

    def _mark_of(self, file: StoredFile, called: str) -> str:
        # FFmpeg takes a tenth of a second to import, and most test sets have no media.
        from campaign.formats.media_files import media_file_read

        media = media_file_read(file)
        if self._watch is not None:
            self._watch(media)
        mark = media_mark(media.name)
        self.called.setdefault(mark, called)
        return mark

    def _mark(self, name: str, whose: str) -> str:
        file_name, sign, fragment = name.rpartition("#")
        if not sign or self._fitting(name) or _FILE.fullmatch(name):
            return self._part_mark(self._file(name, whose), None, whose)
        file = self._file(file_name, whose)
        return self._part_mark(file, part_of(file.name, fragment, whose), whose)

    def _part_mark(self, file: StoredFile, part: Part | None, whose: str) -> str:
        key = (file.name, part)
        if key not in self._marks:
            if part is None:
                self._marks[key] = self._mark_of(file, file.name)
            else:
                called = f"{file.name}, {part} s"
                self._marks[key] = self._mark_of(part_cut(file, part, whose), called)
        return self._marks[key]

    def _file(self, name: str, whose: str) -> StoredFile:
        """Return the file that a text names. Addresses in HTML encode spaces."""
        if "://" in name or name.startswith("//"):
            raise FormatError(
                self._called,
                f"{whose} names the remote address {name}",
                "download the file and put it into the same archive as the texts",
            )
        fitting = self._fitting(name) or self._fitting(unquote(name))
        if not fitting:
            raise FormatError(
                self._called,
                f'{whose} names "{name}", which is not among the files',
                "put the file into the same archive as the texts, under the name that the text gives",
            )
        return fitting[0]

    def _fitting(self, name: str) -> list[StoredFile]:
        """Return the file with this name, or else the only one that differs in letter case, or in folders before it."""
        path = name.replace("\\", "/").removeprefix("./").lstrip("/")
        end = f"/{path}".casefold()
        fitting = []
        for file in self._files.get(_last_part(path), ()):
            stored = f"/{file.name}".casefold()
            if file.name == path:
                return [file]
            if stored.endswith(end) or end.endswith(stored):
                fitting.append(file)
        if len(fitting) == 1:
            return fitting
        return []

    def _report(self, omissions: Omissions) -> None:
        used = {name for name, _part in self._marks}
        unused = []
        for file in chain.from_iterable(self._files.values()):
            if file.name not in used:
                unused.append(file.name)
        if unused:
            omissions.left_out.append((named(unused), "no text names it"))
        descriptions = []
        types = set()
        for system, endings in self._endings.items():
            type_names = ", ".join(sorted(endings)) or "none"
            types.add(type_names)
            descriptions.append(f"{system} ({type_names})")
        if len(types) > 1:
            omissions.warnings.append(
                "judges may tell the systems apart by the types of their files: "
                + named(descriptions),
            )


def _is_about_media(segment: SegmentTexts) -> bool:
    """Return whether all outputs of a segment are names of files, or its source is the remote address of one."""
    if all(map(_WHOLE_WORD.fullmatch, segment.outputs.values())):
        return True
    return "://" in segment.source and bool(_WHOLE_WORD.fullmatch(segment.source))


def without_files(text: str) -> tuple[str, int]:
    """Return the words of a text beside the files that it names, contains or marks, and the number of these."""
    if _BASE64.fullmatch(text):
        return "", 1
    words, count = _REFERENCE.subn(" ", text)
    return " ".join(words.split()), count


def words_beside_files(lines: str) -> str:
    """Return the words of lines beside the files that they name, contain or mark."""
    words = []
    for line in lines.splitlines():
        if not _FILE.fullmatch(line.strip()):
            words.append(without_files(line)[0])
    return "\n".join(words)


def folder_lists(files: Sequence[StoredFile]) -> list[StoredFile]:
    """Return a list of names for each folder of media files, one a line in the order of their numbers.

    Folders are named after systems, or `source` and `reference`. Files that lack a namesake in another folder are
    refused, because their order would shift.
    """
    folders: dict[str, dict[str, str]] = {}
    stems: dict[str, str] = {}
    names_in_order = sorted((file.name for file in files), key=_natural_sort_key)
    for name in names_in_order:
        path = PurePosixPath(name)
        folder = str(path.parent)
        if len(path.parts) > 1:
            folders.setdefault(folder, {})[path.stem] = name
    for folder, names in folders.items():
        stems |= dict.fromkeys(names, folder)
    lists = []
    for folder, names in folders.items():
        for stem in stems.keys() - names.keys():
            raise FormatError(
                folder,
                f'there is no recording or picture "{stem}", which {stems[stem]} has',
                "name the files of a segment alike in every folder",
            )
        content = "\n".join(names.values()).encode()
        lists.append(StoredFile(f"{folder}.txt", partial(_open_content, content)))
    return lists


def _last_part(name: str) -> str:
    return name.rpartition("/")[2].casefold()


def _open_content(content: bytes) -> BufferedReader:
    return BufferedReader(BytesIO(content))


def _natural_sort_key(name: str) -> list[tuple[int, str]]:
    parts = []
    for part in _DIGITS.split(name):
        if part.isdigit():
            parts.append((int(part), ""))
        else:
            parts.append((0, part))
    return parts
