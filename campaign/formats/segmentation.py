"""IWSLT's and MuST-C's segmentation of recordings: a list in YAML of `wav`, `offset` and `duration` in seconds.

Each segment is shown as a clip, named like a part of a recording in addresses of the web: `talk.wav#t=12.61,18.2`.
"""

import wave
from collections.abc import Sequence
from functools import partial
from io import BufferedReader, BytesIO
from typing import Final

from campaign.formats.errors import FormatError
from campaign.formats.streams import InputFile, StoredFile, text_lines
from campaign.formats.yaml_tree import MAX_BYTES, read_yaml

_REMEDY: Final = (
    "write a list of segments with wav, offset and duration, one for each line of the source"
)


def with_clips(segmentation: StoredFile, source: StoredFile | None) -> StoredFile:
    """Return the lines of a source, each with its clip; without a source, clips alone.

    Raises FormatError for another file of YAML, and for numbers of segments and lines that differ.
    """
    with segmentation.open() as stream:
        segments = read_yaml(segmentation.name, stream.read(MAX_BYTES + 1)).value
    try:
        clips = [_clip(segment) for segment in segments]
    except (TypeError, KeyError, ValueError) as error:
        raise FormatError(
            segmentation.name, "it is no segmentation of recordings", _REMEDY
        ) from error
    if source is None:
        return list_file("source.txt", clips)
    with source.open() as stream:
        texts = list(text_lines(InputFile(source.name, stream)))
    if len(texts) != len(clips):
        problem = f"it has {len(clips):,} segments, but {source.name} has {len(texts):,} lines"
        raise FormatError(segmentation.name, problem, _REMEDY)
    return list_file(source.name, list(map(" ".join, zip(texts, clips, strict=True))))


def _clip(segment: dict[str, str | float]) -> str:
    start = float(segment["offset"])
    return f"{segment['wav']}#t={start:.3f},{start + float(segment['duration']):.3f}"


def list_file(name: str, lines: Sequence[str]) -> StoredFile:
    """Return a file of lines in memory."""
    return StoredFile(name, partial(_opened, "\n".join(lines).encode()))


def clip_cut(file: StoredFile, part: str) -> StoredFile:
    """Return a part of a recording in WAV; `part` has the seconds where it begins and ends, with a comma."""
    clip = BytesIO()
    try:
        start, end = map(float, part.split(","))
        with file.open() as stream, wave.open(stream) as whole, wave.open(clip, "wb") as written:
            rate = whole.getframerate()
            written.setparams(whole.getparams())
            whole.setpos(round(start * rate))
            written.writeframes(whole.readframes(round((end - start) * rate)))
    except (wave.Error, EOFError, ValueError) as error:
        problem = f"seconds {part} cannot be cut out: {error}"
        remedy = "use WAV that reaches so far, for example by: ffmpeg -i OLD NEW.wav"
        raise FormatError(file.name, problem, remedy) from error
    return StoredFile(file.name, partial(_opened, clip.getvalue()))


def _opened(content: bytes) -> BufferedReader:
    return BufferedReader(BytesIO(content))
