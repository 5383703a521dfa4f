"""Names of pictures, recordings and videos in the texts of a test set.

A text may be the name of a file, contain the names of files as words, or show files with tags of HTML, as in Pearmut's
campaigns. Each name is replaced by the mark of its file (`campaign.texts.media`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from io import BufferedReader, BytesIO
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote

from campaign.formats.errors import FormatError
from campaign.formats.omissions import Omissions, named
from campaign.formats.records import MediaFile, SegmentTexts
from campaign.formats.segmentation import clip_cut, clip_names
from campaign.formats.streams import StoredFile
from campaign.texts.media import MARK, MARK_BEGINS, marked_text, media_ending, media_mark

#: Also endings of types that are refused by name.
_ENDING: Final = r"\.(?:png|jpe?g|webp|gif|svg|bmp|wav|flac|mp3|opus|ogg|m4a|aac|aiff?|mp4|webm|mov|mkv|avi)(?:\.gz)?"
_NAME: Final = re.compile(rf"[^\r\n<>|]{{1,500}}{_ENDING}", re.IGNORECASE)
#: A part of a recording, in seconds, as in addresses of the web.
_CLIP: Final = r"#t=[0-9.]{1,20},[0-9.]{1,20}"
_WORD: Final = re.compile(rf"(?<!\S)[^\s<>|]{{1,500}}{_ENDING}(?:{_CLIP})?(?!\S)", re.IGNORECASE)
_TAG: Final = re.compile(
    r"<(img|audio|video)\b(?:[^>]*>\s*<source\b)?[^>]*?\bsrc\s*=\s*[\"']?([^\"'>\s]+)[^>]*>(?:\s*</\1>)?",
    re.IGNORECASE,
)
_PACK: Final = "put the file into the same archive as the texts, under the name that the text gives"
_ALIGN: Final = "provide one segment of the recordings for each line of the source"
_SEGMENTATIONS: Final = (".yaml", ".yml")
_DIGITS: Final = re.compile(r"([0-9]+)")

MediaWatch = Callable[[MediaFile], object]


def is_media_name(name: str) -> bool:
    """Return whether a file is a picture, sound, video or segmentation of recordings by its ending."""
    return _NAME.fullmatch(name) is not None or name.endswith(_SEGMENTATIONS)


class MediaNames:
    """Replaces names of files by marks, and reads each file once; `watch` receives its content.

    `is_demanded` refuses names of missing files even if there are no files at all.
    """

    def __init__(
        self,
        called: str,
        files: Sequence[StoredFile],
        watch: MediaWatch | None = None,
        *,
        is_demanded: bool = False,
    ) -> None:
        self._called = called
        self._files: dict[str, StoredFile] = {}
        self._namesakes: dict[str, list[str]] = {}
        # Names of the clips of each segment, in order.
        self._clips: list[str] = []
        for file in files:
            if file.name.endswith(_SEGMENTATIONS):
                self._clips += clip_names(file)
                continue
            self._files[file.name] = file
            self._namesakes.setdefault(file.plain_name, []).append(file.name)
        self._watch = watch
        self._is_demanded = is_demanded or bool(files)
        # By path and part.
        self._marks: dict[tuple[str, str], str] = {}
        self._endings: dict[str, set[str]] = {}

    def replaced(
        self, segments: Iterator[SegmentTexts], omissions: Omissions
    ) -> Iterator[SegmentTexts]:
        """Yield the segments with marks for names.

        Raises FormatError for a name of a missing file, a remote address, and a file that cannot be shown.
        """
        if not self._is_demanded:
            yield from self._refused_if_names(segments)
            return
        count = 0
        for segment in segments:
            yield self._segment(segment)
            count += 1
        if self._clips and len(self._clips) != count:
            problem = f"it has {count:,} segments, but the segmentation has {len(self._clips):,}"
            raise FormatError(self._called, problem, _ALIGN)
        self._report(omissions)

    def _refused_if_names(self, segments: Iterator[SegmentTexts]) -> Iterator[SegmentTexts]:
        """Yield the segments of a set without media; refuse it if every output is the name of a file."""
        name = ""
        has_texts = False
        for segment in segments:
            if any(MARK_BEGINS in text for text in (segment.source, *segment.outputs.values())):
                self._segment(segment)
            names = [text for text in segment.outputs.values() if _WORD.fullmatch(text)]
            has_texts = has_texts or len(names) < len(segment.outputs)
            name = names[0] if names else ""
            yield segment
        if name and not has_texts:
            self._name_of(name, "every output")

    def _segment(self, segment: SegmentTexts) -> SegmentTexts:
        of = f"of segment {segment.number:,}"
        clips = self._clips[segment.number - 1 : segment.number]
        outputs = {}
        for system, text in segment.outputs.items():
            outputs[system] = self._text(text, f"the output of {system} {of}")
            shown = marked_text(outputs[system]).media
            self._endings.setdefault(system, set()).update(map(media_ending, shown))
        return replace(
            segment,
            source=self._text(" ".join([segment.source, *clips]), f"the source {of}"),
            references=tuple(self._text(text, f"a reference {of}") for text in segment.references),
            outputs=outputs,
        )

    def _text(self, text: str, whose: str) -> str:
        if _WORD.fullmatch(text) or (is_media_name(text) and self._path(text) in self._files):
            return self._mark(text, whose)
        # In exported texts.
        text = MARK.sub(lambda mark: f" {self._mark(mark.group(1), whose)}", text).strip()
        text = _TAG.sub(lambda tag: self._mark(tag.group(2), whose), text)

        def marked(word: re.Match[str]) -> str:
            name = word.group()
            is_file = "#t=" in name or self._path(name) in self._files
            return self._mark(name, whose) if is_file else name

        return _WORD.sub(marked, text)

    def _mark(self, name: str, whose: str) -> str:
        file_name, _sign, part = name.strip().partition("#t=")
        path = self._name_of(file_name, whose)
        if (path, part) not in self._marks:
            # FFmpeg takes a tenth of a second to import, and most test sets have no media.
            from campaign.formats.media_files import media_file_read

            stored = self._files[path]
            file = media_file_read(clip_cut(stored, part) if part else stored)
            self._marks[path, part] = media_mark(file.name)
            if self._watch is not None:
                self._watch(file)
        return self._marks[path, part]

    def _name_of(self, name: str, whose: str) -> str:
        """Return the path of the file that a text names."""
        if "://" in name or name.startswith("//"):
            raise FormatError(
                self._called,
                f"{whose} names the remote address {name}",
                "download the file and put it into the same archive as the texts",
            )
        path = self._path(name)
        if path not in self._files:
            # Addresses in HTML encode spaces.
            path = self._path(unquote(name))
        if path not in self._files:
            alike = [file for file in self._files if file.casefold().endswith(name.casefold())]
            hint = f" (capital letters differ in {alike[0]})" if alike else ""
            problem = f'{whose} names "{name}", which is not among the files{hint}'
            raise FormatError(self._called, problem, _PACK)
        return path

    def _path(self, name: str) -> str:
        """Return the path of a file by its name, which may lack folders or have more."""
        path = name.replace("\\", "/").removeprefix("./").lstrip("/")
        if path in self._files:
            return path
        found = [
            each
            for each in self._namesakes.get(path.rpartition("/")[2], ())
            if each.endswith(f"/{path}") or path.endswith(f"/{each}")
        ]
        return found[0] if len(found) == 1 else path

    def _report(self, omissions: Omissions) -> None:
        used = {path for path, _part in self._marks}
        unused = [name for name in self._files if name not in used]
        if unused:
            omissions.left_out.append((named(unused), "no text names it"))
        if len(set(map(frozenset, self._endings.values()))) > 1:
            types = [
                f"{system} ({', '.join(sorted(endings)) or 'none'})"
                for system, endings in self._endings.items()
            ]
            omissions.warnings.append(
                f"judges may tell the systems apart by the types of their files: {named(types)}"
            )


def folder_lists(files: Sequence[StoredFile]) -> list[StoredFile]:
    """Return a list of names for each folder of media files, one a line in the order of their numbers.

    Folders are named after systems, or `source` and `reference`. Files that lack a namesake in another folder are
    refused, because their order would shift.
    """
    folders: dict[str, dict[str, str]] = {}
    for file in sorted(files, key=lambda file: _in_order(file.name)):
        path = PurePosixPath(file.name)
        if len(path.parts) > 1:
            folders.setdefault(str(path.parent), {})[path.stem] = file.name
    for folder, names in folders.items():
        for other, others in folders.items():
            for stem in others.keys() - names.keys():
                raise FormatError(
                    folder,
                    f'there is no recording or picture "{stem}", which {other} has',
                    "name the files of a segment alike in every folder",
                )
    return [
        StoredFile(f"{folder}.txt", partial(_list_open, "\n".join(names.values()).encode()))
        for folder, names in folders.items()
    ]


def _list_open(content: bytes) -> BufferedReader:
    return BufferedReader(BytesIO(content))


def _in_order(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in _DIGITS.split(name)]
