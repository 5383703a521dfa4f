"""Compile what reads large files ahead: ``python -m ranking.files.compiled``.

Otherwise that happens when the first large file is read, and takes some seconds. Numba keeps the
result in ``__pycache__`` beside the source, or in the folder that ``NUMBA_CACHE_DIR`` names.
"""

from __future__ import annotations

import io

from campaign.formats import InputFile
from ranking.files.scan import IS_POSSIBLE

_FIVE_WAY = b"""\
srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,system1rank,system2rank
a,b,1,d,1,ann,A,B,1,2
"""
_PAIRWISE = b"""\
srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
a,b,1,1,ann,A,1,B,2,7
"""


def compile_readers() -> None:
    """Compile all kernels of reading whose compiled form is not kept yet, by reading a file of each format."""
    from ranking.files.build import compiled_blocks
    from ranking.files.five_way import scan_five_way
    from ranking.files.pairwise_scan import scan_pairwise
    from ranking.files.vocabulary import Vocabulary, joined

    for scan, content in ((scan_five_way, _FIVE_WAY), (scan_pairwise, _PAIRWISE)):
        vocabulary = Vocabulary()
        columns = joined(list(scan(InputFile("", io.BytesIO(content)), vocabulary)))
        compiled_blocks(columns, ("A", "B"), list(vocabulary.judges), list(vocabulary.candidates))


if __name__ == "__main__" and IS_POSSIBLE:
    compile_readers()
