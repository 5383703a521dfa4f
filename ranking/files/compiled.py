"""Compile what builds large campaigns ahead: ``python -m ranking.files.compiled``.

Otherwise that happens when the first large file is read, and takes some seconds. Numba keeps the
result in ``__pycache__`` beside the source, or in the folder that ``NUMBA_CACHE_DIR`` names.
"""

from __future__ import annotations

from ranking.files.build import IS_POSSIBLE
from ranking.files.records import JudgedBlock

_BLOCK = JudgedBlock(
    line=1,
    source_language="a",
    target_language="b",
    segment=1,
    judge="ann",
    candidates=(("A",), ("B",)),
    labels=(1, 2),
)


def compile_builders() -> None:
    """Compile all kernels of building whose compiled form is not kept yet, by building a block."""
    from ranking.files.build import compiled_blocks
    from ranking.files.vocabulary import Vocabulary, columns_of, joined

    vocabulary = Vocabulary()
    columns = joined(list(columns_of([_BLOCK], vocabulary)))
    compiled_blocks(columns, ("A", "B"), list(vocabulary.judges), list(vocabulary.candidates))


if __name__ == "__main__" and IS_POSSIBLE:
    compile_builders()
