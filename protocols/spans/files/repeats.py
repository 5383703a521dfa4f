"""Leave out repeated outputs of scored judgments, by the rule of all formats (`campaign.formats.repeats`)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from campaign.formats.errors import Losses
from campaign.formats.repeats import Submission, counted_submissions
from protocols.spans.records import ScoredJudgment, ScoredOutput


def counted_judgments(
    judgments: Sequence[tuple[str, ScoredJudgment]],
    losses: Losses,
    *,
    is_logged: bool,
    is_one_file: bool,
) -> list[ScoredJudgment]:
    """Return the judgments with the outputs that count.

    Each judgment comes with the name of its file; places name it unless there is `is_one_file`. An output counts as a whole: a judge who scored
    two of three outputs again later has one judgment of the third output, and one of the two.

    Raises
    ------
    FormatError
        If two answers differ and no time tells which is later.
    """
    submissions = []
    for file, judgment in judgments:
        for output in judgment.outputs:
            for system in output.systems:
                submissions.append(
                    _submission(file, judgment, output, system, is_logged=is_logged),
                )
    counts = iter(
        counted_submissions(
            submissions,
            losses,
            _describe_submission,
            is_one_file=is_one_file,
        ),
    )
    counted = []
    for _file, judgment in judgments:
        outputs = []
        for output in judgment.outputs:
            systems = tuple(system for system in output.systems if next(counts))
            if systems:
                outputs.append(replace(output, systems=systems))
        if len(outputs) == len(judgment.outputs) and tuple(outputs) == judgment.outputs:
            counted.append(judgment)
        elif outputs:
            counted.append(replace(judgment, outputs=tuple(outputs)))
    return counted


def _submission(
    file: str,
    judgment: ScoredJudgment,
    output: ScoredOutput,
    system: str,
    *,
    is_logged: bool,
) -> Submission:
    languages = judgment.source_language, judgment.target_language
    segment = judgment.document, judgment.segment
    return Submission(
        about=(*languages, *segment, judgment.judge, judgment.repeat, system),
        answer=(output.score, output.spans),
        file=file,
        line=judgment.line,
        started_at=judgment.started_at,
        ended_at=judgment.ended_at,
        is_logged=is_logged,
    )


def _describe_submission(submission: Submission) -> str:
    about: tuple[Any, ...] = submission.about  # type: ignore[assignment]  # made above
    _source, _target, document, segment, judge, _repeat, system = about
    of = f" of {document}" if document else ""
    return f"what {judge} says about the output of {system} for segment {segment}{of}"
