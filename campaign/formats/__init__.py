"""File formats: binary streams in, frozen dataclasses out; no Django, no database.

Every reader is a generator that holds a few segments at a time and raises FormatError with
file, line, column and what to do. docs/formats.md describes the formats themselves.
`recognising` says what each of several files is, `archives` takes them out of archives, and
`inspecting` looks at them before anything is stored; `doubts` warns about what looks like something else.
"""

from campaign.formats.errors import FormatError, Place
from campaign.formats.five_way import read_five_way_csv, write_five_way_csv
from campaign.formats.records import FiveWayRow, SegmentTexts, system_name_problem
from campaign.formats.streams import ByteStream, InputFile
from campaign.formats.test_sets import TestSetFormat, detect_format, read_test_set

__all__ = [
    "ByteStream",
    "FiveWayRow",
    "FormatError",
    "InputFile",
    "Place",
    "SegmentTexts",
    "TestSetFormat",
    "detect_format",
    "read_five_way_csv",
    "read_test_set",
    "system_name_problem",
    "write_five_way_csv",
]
