"""From the columns of files to the `Blocks` of the core, with the content keys of the database."""

from __future__ import annotations

from collections.abc import Sequence

from ranking.core.judged.blocks import Blocks, several_documents
from ranking.core.judged.coded_blocks import Candidate, CodedJudgments, blocks_of_codes
from ranking.files.vocabulary import Columns


def blocks_of(
    columns: Columns, systems: Sequence[str], judges: Sequence[str], candidates: Sequence[Candidate]
) -> Blocks:
    """Build the core's columns.

    Parameters
    ----------
    columns : Columns
        N judged blocks.
    systems : sequence of str
        All systems to be ranked.
    judges, candidates : sequences
        What the numbers of `columns` stand for.

    Returns
    -------
    Blocks
        Their documents are known if the files name several.
    """
    coded = CodedJudgments(
        judge=columns.judge,
        judges=judges,
        segment=columns.segment,
        candidate=columns.candidate,
        candidates=candidates,
        label=columns.label,
    )
    document = several_documents(columns.document, columns.segment)
    return blocks_of_codes(coded, systems, document=document)
