"""Files of ratings, and scores of outputs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, cast

from annotation.protocols.answer_files import (
    AnswerFiles,
    FileAnswer,
    FileContent,
    FileRecords,
    Lose,
    RefuseAnswer,
)
from campaign.formats.cells import refuse_at
from campaign.formats.errors import Losses
from campaign.formats.repeats import REPLACED
from campaign.models import Task
from protocols.frame.scale.criteria import Criterion, weighted_score, weights_of
from protocols.frame.scale.files import (
    LINES,
    UNKNOWN_SCALE,
    Item,
    Rating,
    csv_lines,
    without_earlier_pass,
)
from protocols.frame.scale.presets import criteria_of
from protocols.frame.scale.rating_records import CSV, rating_records
from protocols.frame.scale.statistics.ratings import HUNDRED, Scale
from protocols.rating.answers import (
    RatingAnswerJSON,
    RatingRules,
    answer_made,
    ratings_given,
    rules_complete,
)
from ranking.core.beside import OutputScores
from ranking.files.labels import integer_of, object_of
from ranking.files.pearmut_log import PEARMUT_LOG, LoggedItem, LoggedOutput
from ranking.reports.analyses.kind import ChosenJudgments, RecordedAnswer


def _content(records: FileRecords) -> FileContent:
    if records.file_format != PEARMUT_LOG:
        return LINES.content(records)
    losses = Losses()
    answers = list(_logged_ratings(records, losses))
    return FileContent(
        file_format=records.file_format,
        answers=answers,
        losses=[*losses, *records.losses],
    )


def _logged_ratings(records: FileRecords, losses: Losses) -> Iterator[FileAnswer]:
    """Yield the value of each slider; of several by a judge for an output, the last."""
    latest: dict[tuple[str, str, str, str], tuple[int, LoggedItem, LoggedOutput]] = {}
    for screen, item in enumerate(records.records, 1):
        for output in item.outputs:
            key = (item.judge, item.document, item.segment, output.system)
            losses.add(REPLACED, f"line {item.line}", key in latest)
            latest[key] = (screen, item, output)
    segments: dict[tuple[str, str], int] = {}
    for screen, item, output in latest.values():
        refuse = refuse_at(records.name, item.line)
        others = {key for key, value in output.answers.items() if value} - {"sliders"}
        losses.add("answers beside sliders", f"line {item.line}", len(others))
        path = f"{output.key}.sliders"
        for name, value in object_of(
            path,
            output.answers.get("sliders"),
            refuse,
        ).items():
            rating = Rating(
                segment=segments.setdefault(
                    (item.document, item.segment),
                    len(segments),
                ),
                systems=(output.system,),
                judge=item.judge,
                criterion=name.strip(),
                value=integer_of(f"{path}.{name}", value, 0, refuse, HUNDRED),
                scale=UNKNOWN_SCALE,
                screen=screen,
            )
            yield FileAnswer(
                line=item.line,
                judge=item.judge,
                segment=item.segment,
                document=item.document,
                candidates=(rating.systems,),
                content=(rating,),
                texts=(output.text,),
                source=item.source,
                languages=(item.source_language, item.target_language),
                submitted_at=item.ended_at,
                active_ms=item.duration_ms,
                comment=item.comment,
            )


def _answers_for_task(
    task: Task,
    answers: Iterable[FileAnswer],
    refuse: RefuseAnswer,
) -> Iterator[FileAnswer]:
    """Yield the ratings in the order in which judges are asked, or put together those of each screen.

    Ratings that judges of the task are not asked for are refused.
    """
    rules = rules_complete(task.rules)
    criteria = {criterion.key: criterion for criterion in criteria_of(rules)}
    keys = list(criteria)
    for key in keys:
        for name in criteria[key].name.values():
            criteria.setdefault(name, criteria[key])
    rated = [_check_rating(answer, criteria, refuse) for answer in answers]
    if rules["all_at_once"]:
        yield from _screens(rated, keys, refuse)
        return

    def criterion_number(answer: FileAnswer) -> int:
        return keys.index(answer.content[0].criterion)

    in_passes = sorted(rated, key=criterion_number)
    _check_passes(in_passes, keys, rules, refuse)
    yield from in_passes


def _check_rating(
    answer: FileAnswer,
    criteria: Mapping[str, Criterion],
    refuse: RefuseAnswer,
) -> FileAnswer:
    """Return a rating with the key and the scale of its criterion, which logs call by its name."""
    [rating] = answer.content
    criterion = criteria.get(rating.criterion)
    if criterion is None:
        keys = " or ".join(
            dict.fromkeys(task_criterion.key for task_criterion in criteria.values()),
        )
        refuse(
            answer,
            None,
            f"it rates {rating.criterion}, which judges of this task are not asked about",
            f"provide ratings of {keys}",
        )
    scale = criterion.scale
    if rating.scale not in (scale, UNKNOWN_SCALE):
        refuse(
            answer,
            None,
            f"its scale is {_scale_in_words(rating.scale)}, but the task rates {criterion.key} on {_scale_in_words(scale)}",
            "import it into a task with this scale",
        )
    if rating.value not in scale:
        refuse(
            answer,
            None,
            f"{rating.value} is not on the scale {scale}",
            "correct the value",
        )
    if (rating.criterion, rating.scale) == (criterion.key, scale):
        return answer
    return replace(
        answer,
        content=(replace(rating, criterion=criterion.key, scale=scale),),
    )


def _scale_in_words(scale: Scale) -> str:
    if scale.lower_is_better:
        return f"{scale}, lower is better"
    return str(scale)


def _check_passes(
    answers: Sequence[FileAnswer],
    keys: Sequence[str],
    rules: RatingRules,
    refuse: RefuseAnswer,
) -> None:
    """Refuse ratings that the passes of a task do not allow."""
    ratings: list[Rating] = [answer.content[0] for answer in answers]
    if rules["adequacy_by_others"]:
        of_segment: dict[tuple[str, int], str] = {}
        for answer, rating in zip(answers, ratings, strict=True):
            first = of_segment.setdefault(
                (rating.judge, rating.segment),
                rating.criterion,
            )
            if first != rating.criterion:
                refuse(
                    answer,
                    None,
                    "this judge rates the segment by several criteria",
                    "import into a task in which the same judges rate all of them (adequacy_by_others: false)",
                )
    elif not rules["order_free"]:
        for place, earlier in without_earlier_pass(ratings, keys):
            refuse(
                answers[place],
                None,
                f"it rates the {ratings[place].criterion} of a text whose {earlier} this judge does not rate in this file",
                "provide both in one file, or import into a task in which ratings can be changed in later passes (order_free: true)",
            )


def _screens(
    answers: Iterable[FileAnswer],
    keys: Sequence[str],
    refuse: RefuseAnswer,
) -> Iterator[FileAnswer]:
    screens: dict[tuple[str, int, int | Item], list[FileAnswer]] = defaultdict(list)
    for answer in answers:
        [rating] = answer.content
        screens[rating.judge, rating.segment, rating.screen or rating.item].append(
            answer,
        )
    for parts in screens.values():
        first = parts[0]
        rated: dict[tuple[str, ...], dict[str, Rating]] = defaultdict(dict)
        texts: dict[tuple[str, ...], str | None] = {}
        for part in parts:
            [rating] = part.content
            rated[rating.systems][rating.criterion] = rating
            texts[rating.systems] = part.texts[0]
        for systems, ratings in rated.items():
            for key in keys:
                if key not in ratings:
                    refuse(
                        first,
                        "criterion",
                        f"{first.judge} did not rate {', '.join(systems)} by {key}",
                        "provide a rating by each criterion of the task for each text",
                    )
        yield replace(
            first,
            candidates=tuple(texts),
            texts=tuple(texts.values()),
            content=tuple(ratings[key] for ratings in rated.values() for key in keys),
        )


def _answer(
    ratings: Sequence[Rating],
    _texts: Sequence[str | None],
    _rules: RatingRules,
    _lose: Lose,
) -> RatingAnswerJSON:
    outputs: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
    for rating in ratings:
        outputs[rating.systems][rating.criterion] = rating.value
    return answer_made(list(outputs.values()))


def _part(answer: RatingAnswerJSON, rules: RatingRules) -> int:
    if rules["all_at_once"]:
        return 0
    keys = [criterion.key for criterion in criteria_of(rules)]
    return 1 + keys.index(answer["criterion"])


def output_scores(
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
) -> OutputScores | None:
    """Return the scores of texts from the selected judgments 1…`watermark`; None if nothing is left.

    A score is the weighted mean of a judge's ratings of a text if criteria have weights, otherwise
    the rating by the first criterion. Adequacy and fluency count equally; if different judges rate
    them, each rating is a score, with equally many per text and criterion. Texts that a judge did
    not rate by all criteria that count are left out, because the levels of criteria differ. Lower
    values count as negative if they are better.
    """
    return _scores_of(task, LINES.chosen(task, watermark, chosen).rows)


def given_scores(
    task: Task,
    _chosen: ChosenJudgments,
    answers: Iterable[RecordedAnswer],
) -> OutputScores | None:
    """Return the scores of the ratings in answers, as `output_scores` does."""
    criteria = criteria_of(rules_complete(task.rules))
    ratings = []
    for answer in answers:
        for systems, points in zip(
            answer.candidates,
            ratings_given(cast("RatingAnswerJSON", answer.answer), criteria),
            strict=True,
        ):
            for criterion, value in points.items():
                ratings.append(
                    Rating(
                        answer.segment,
                        tuple(sorted(systems)),
                        answer.judge,
                        criterion,
                        value,
                    ),
                )
    return _scores_of(task, ratings)


def _scores_of(task: Task, rated: Sequence[Rating]) -> OutputScores | None:
    rules = rules_complete(task.rules)
    criteria = criteria_of(rules)
    by_others = rules["adequacy_by_others"] and not rules["all_at_once"]
    if not rules["criteria"]:
        counted = [replace(criterion, weight=1) for criterion in criteria]
    elif by_others or not weights_of(criteria):
        counted = [criteria[0]]
    else:
        counted = list(criteria)
    if by_others:
        scores = _scores_in_equal_numbers
    else:
        scores = _means_of_judges
    score_rows = []
    for (segment, _condition, systems), judge, score in scores(rated, counted):
        for system in systems:
            score_rows.append((segment, judge, system, score))
    return OutputScores.of_rows(score_rows)


def _means_of_judges(
    rated: Iterable[Rating],
    criteria: Sequence[Criterion],
) -> Iterator[tuple[Item, str, float]]:
    weights = weights_of(criteria)
    counted = []
    for criterion in criteria:
        if criterion.key in weights:
            counted.append(criterion)
    values_by_item: dict[tuple[Item, str], dict[str, int]] = defaultdict(dict)
    for rating in rated:
        if rating.criterion in weights:
            values_by_item[rating.item, rating.judge][rating.criterion] = rating.value
    for (item, judge), values in values_by_item.items():
        if len(values) == len(counted):
            yield item, judge, weighted_score(values, counted) / sum(weights.values())


def _scores_in_equal_numbers(
    rated: Iterable[Rating],
    criteria: Sequence[Criterion],
) -> Iterator[tuple[Item, str, float]]:
    """Yield equally many ratings of each text by each criterion: those of the first judges by pseudonym."""
    signs = {}
    for criterion_counted in criteria:
        if criterion_counted.scale.lower_is_better:
            signs[criterion_counted.key] = -1
        else:
            signs[criterion_counted.key] = 1
    values_by_item: dict[Item, dict[str, dict[str, int]]] = defaultdict(
        partial(defaultdict, dict),
    )
    for rating in rated:
        if rating.criterion in signs:
            values_by_item[rating.item][rating.criterion][rating.judge] = rating.value
    for item, values in values_by_item.items():
        count = min(len(values[criterion]) for criterion in signs)
        for criterion, sign in signs.items():
            for judge, value in sorted(values[criterion].items())[:count]:
                yield item, judge, float(sign * value)


FILES: Final = AnswerFiles(
    formats=(LINES.name, CSV, PEARMUT_LOG),
    parse=rating_records,
    content=_content,
    of_task=_answers_for_task,
    answer=_answer,
    part=_part,
    writers={
        LINES.name: LINES.write,
        CSV: partial(LINES.write, lines=csv_lines),
    },
)
