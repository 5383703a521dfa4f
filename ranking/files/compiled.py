"""Compile what reads large files ahead: ``python -m ranking.files.compiled``.

Otherwise that happens when the first large file is read, and takes some seconds. Numba keeps the
result in ``__pycache__`` beside the source, or in the folder that ``NUMBA_CACHE_DIR`` names.
"""

from __future__ import annotations

import io

from campaign.formats import InputFile
from ranking.files.build import IS_POSSIBLE

_PAIRWISE = b"""\
srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
a,b,1,1,ann,A,1,B,2,7
"""


def compile_readers() -> None:
    """Compile all kernels of reading whose compiled form is not kept yet, by reading a file."""
    from ranking.files.build import compiled_blocks
    from ranking.files.pairwise_scan import scan_pairwise
    from ranking.files.vocabulary import Vocabulary, joined

    vocabulary = Vocabulary()
    columns = joined(list(scan_pairwise(InputFile("", io.BytesIO(_PAIRWISE)), vocabulary)))
    compiled_blocks(columns, ("A", "B"), list(vocabulary.judges), list(vocabulary.candidates))


if __name__ == "__main__" and IS_POSSIBLE:
    compile_readers()
