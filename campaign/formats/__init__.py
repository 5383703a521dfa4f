"""File formats: binary streams in, frozen dataclasses out; no Django, no database.

Every reader is a generator that raises FormatError with file, line, column and remedy.
docs/formats.md describes the formats. `recognising` detects the role of each of several files,
`archives` unpacks archives, `inspecting` examines files before anything is stored, and
`omissions` collects omissions and warnings.
"""

from campaign.formats.errors import FormatError, Location
from campaign.formats.five_way import read_five_way_csv, write_five_way_csv
from campaign.formats.records import JudgedBlock, SegmentTexts, system_name_problem
from campaign.formats.streams import ByteStream, InputFile
from campaign.formats.test_sets import (
    ReadingOptions,
    TestSetFormat,
    detect_format,
    read_test_set,
)
