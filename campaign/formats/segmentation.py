"""IWSLT's and MuST-C's segmentation of recordings: a list in YAML of `wav`, `offset` and `duration` in seconds.

Each segment is shown as a clip, named like a part of a recording in addresses of the web: `talk.wav#t=12.61,18.2`.
"""

import wave
from functools import partial
from io import BytesIO
from typing import Final

from campaign.formats.errors import FormatError
from campaign.formats.streams import StoredFile
from campaign.formats.yaml_tree import MAX_BYTES, read_yaml

_REMEDY: Final = (
    "write a list of segments with wav, offset and duration, or leave the file out"
)


def clip_names(segmentation: StoredFile) -> list[str]:
    """Return the names of the clips. Raises FormatError for another file of YAML."""
    with segmentation.open() as stream:
        segments = read_yaml(segmentation.name, stream.read(MAX_BYTES + 1)).value
    try:
        return [_clip(segment) for segment in segments]
    except (TypeError, KeyError, ValueError) as error:
        problem = "it is no segmentation of recordings"
        raise FormatError(segmentation.name, problem, _REMEDY) from error


def _clip(segment: dict[str, str | float]) -> str:
    start = float(segment["offset"])
    return f"{segment['wav']}#t={start:.3f},{start + float(segment['duration']):.3f}"


def clip_cut(file: StoredFile, part: str) -> StoredFile:
    """Return a part of a recording in WAV; `part` has the seconds where it begins and ends, with a comma."""
    clip = BytesIO()
    try:
        start, end = map(float, part.split(","))
        with (
            file.open() as stream,
            wave.open(stream) as whole,
            wave.open(clip, "wb") as written,
        ):
            rate = whole.getframerate()
            written.setparams(whole.getparams())
            whole.setpos(round(start * rate))
            written.writeframes(whole.readframes(round((end - start) * rate)))
    except (wave.Error, EOFError, ValueError) as error:
        problem = f"seconds {part} cannot be cut out: {error}"
        remedy = "use WAV that reaches so far, for example by: ffmpeg -i OLD NEW.wav"
        raise FormatError(file.name, problem, remedy) from error
    return StoredFile(file.name, partial(BytesIO, clip.getvalue()))
