"""Plain text: one file each for the source, every reference and every system; a line a segment."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from campaign.formats.errors import FormatError
from campaign.formats.records import SegmentTexts, counted
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.streams import InputFile, text_lines


def read_plain_test_set(
    source: InputFile,
    references: Sequence[InputFile],
    systems: Mapping[str, InputFile],
    documents: InputFile | None,
) -> Iterator[SegmentTexts]:
    """Yield a segment for every line of the files, read side by side.

    A line of `documents` names the document its segment belongs to; without that file
    everything is one document, called as the source file.

    Raises FormatError where the files have different numbers of lines, where a source, an
    output or a document's name is empty, and where a document comes again later.
    """
    files = [source, *references, *systems.values()]
    if documents is not None:
        files.append(documents)
    single_document = source.plain_name
    first_output = 1 + len(references)
    counter = SegmentCounter(documents.name if documents else source.name)
    readers = [text_lines(file) for file in files]
    for line, row in enumerate(zip_longest(*readers), 1):
        if None in row:
            counts = [
                line - 1 if text is None else line + sum(1 for _ in rest)
                for text, rest in zip(row, readers, strict=True)
            ]
            raise _different_counts(files, counts)
        document = single_document
        if documents is not None:
            document = filled_text(
                row[-1],
                file=documents.name,
                line=line,
                what="the name of the document",
                remedy="name a document on every line",
            )
        position, number = counter.place(document, None, line)
        yield SegmentTexts(
            document=document,
            position=position,
            number=number,
            source=filled_text(row[0], file=source.name, line=line, what="the source"),
            references=tuple(text.strip() for text in row[1:first_output]),
            outputs={
                system: filled_text(text, file=file.name, line=line, what=f"the output of {system}")
                for (system, file), text in zip(systems.items(), row[first_output:], strict=False)
            },
        )
    counter.refuse_nothing()


def _different_counts(files: Sequence[InputFile], counts: Sequence[int]) -> FormatError:
    """Return an error that names the first file whose length differs from the source's, and where."""
    expected = counts[0]
    file, count = next(
        (file, count) for file, count in zip(files, counts, strict=True) if count != expected
    )
    return FormatError(
        file.name,
        f"the file has {counted(count, 'line')}, but {files[0].name} has {counted(expected, 'line')}",
        "give every file one line a segment; look for a line break inside a segment, "
        "or for a file that was cut off",
        line=min(count, expected + 1) or None,
    )
