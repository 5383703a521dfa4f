"""What the files of a bundle are called."""

from typing import Final

RESULT: Final = "result.json"
JUDGMENTS: Final = "judgments.csv"
PARQUET: Final = "judgments.parquet"
LEFT_OUT: Final = "judgments-left-out.csv"
DESIGN: Final = "design.json"
DRAWS: Final = "draws.jsonl"
RUN: Final = "run.json"
TEXTS: Final = "texts.jsonl"
README: Final = "README.md"
METADATA: Final = "ro-crate-metadata.json"
CHECKSUMS: Final = "checksums.txt"

#: Without these it is no bundle of a result.
ALWAYS: Final = (RESULT, RUN, JUDGMENTS)
