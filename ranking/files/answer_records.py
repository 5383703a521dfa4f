"""Read answers in files as records; `annotation.protocols.answer_files` calls this in a process of its own."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from campaign.formats import FormatError, InputFile
from campaign.formats.errors import Loss, Losses
from campaign.formats.json_text import JSONObject
from campaign.formats.records import JudgedBlock
from campaign.formats.streams import StoredFile
from ranking.files.labels import Objects, lines_of
from ranking.files.parquet_reading import read_parquet
from ranking.files.reading import READERS, detect_input_format, lossless
from ranking.files.records import InputFormat

#: `.rank` files name no judges.
_READERS: Final = {
    InputFormat.FIVE_WAY_CSV: READERS[InputFormat.FIVE_WAY_CSV],
    InputFormat.PAIRWISE_CSV: READERS[InputFormat.PAIRWISE_CSV],
    InputFormat.APPRAISE_XML: READERS[InputFormat.APPRAISE_XML],
    InputFormat.JSONL: READERS[InputFormat.JSONL],
    InputFormat.PARQUET: lossless(read_parquet),
}
#: Formats whose blocks become answers.
RANKED_FORMATS: Final = tuple(map(str, _READERS))


def ranked_records(
    file: StoredFile,
    file_format: str | None,
    accepted: Sequence[str] = RANKED_FORMATS,
) -> Iterator[str | JudgedBlock | Loss]:
    """Yield the format (detected if None), ranked blocks and skips, and the losses.

    Raises FormatError, which lists the `accepted` formats if the file is in none of them.
    """
    with file.open() as stream:
        whole = InputFile(file.name, stream)
        if file_format is None:
            input_format, whole = detect_input_format(whole, accepted)
        else:
            input_format = InputFormat(file_format)
        if input_format not in _READERS:
            raise FormatError(
                file.name,
                f"answers are not read from {input_format}",
                f"use one of {', '.join(accepted)}",
            )
        yield str(input_format)
        losses = Losses()
        yield from _READERS[input_format](whole, losses)
        yield from losses


def json_records(
    name: str,
    file: StoredFile,
    _file_format: str | None,
) -> Iterator[str | tuple[int, JSONObject]]:
    """Yield the format `name`, then each line's number and object. Raises FormatError."""
    yield name
    yield from object_records(lines_of(name), file)


def object_records(
    objects: Callable[[InputFile], Objects],
    file: StoredFile,
) -> Iterator[tuple[int, JSONObject]]:
    """Yield the line and the values of each object of a file. Raises FormatError."""
    with file.open() as stream:
        for line, values, _refuse in objects(InputFile(file.name, stream)):
            yield line, values
