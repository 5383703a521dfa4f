"""What the files of a bundle are called that its making and its check know by name."""

from typing import Final

INDEX: Final = "index.html"
README: Final = "README.md"
RESULT: Final = "result.json"
JUDGMENTS: Final = "judgments.csv"
PARQUET: Final = "judgments.parquet"
LEFT_OUT: Final = "judgments-left-out.csv"
TEXTS: Final = "texts.jsonl"
DESIGN: Final = "design.json"
DRAWS: Final = "draws.jsonl"
RUN: Final = "run.json"
METADATA: Final = "ro-crate-metadata.json"
CHECKSUMS: Final = "checksums.txt"

#: Without these it is no bundle of a result.
ALWAYS: Final = (RESULT, RUN, JUDGMENTS)
