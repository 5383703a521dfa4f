"""Answers of blind editing: an edit of an output, or a judgment of another editor's edit.

The HIT decides which: an original HIT asks for an edit of an output shown alone; a HIT that repeats
another one asks two other judges whether the edited text is fluent and has the same meaning.
"""

from collections.abc import Callable, Sequence, Set
from random import Random
from typing import Any, Final, NotRequired, TypedDict

from django import forms
from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from annotation.models import Assignment, Block
from annotation.protocols.answer_kinds import (
    AnswerKind,
    Perceived,
    ShownRules,
    Stage,
)
from annotation.protocols.submissions import (
    AssignedBlock,
    SubmissionRefusedError,
    answer_refused,
)
from campaign.api.constants import ConstantField
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Campaign, Output, Protocol
from protocols.models import EditingAnswer, Outcome

#: Question of a block, as sent to the judge page and to simulated judges.
EDIT: Final = "edit"
ACCEPT: Final = "accept"
FIRST_STAGE: Final = Stage(rules={"asked": EDIT}, is_text_alone=True)


def edits_to_judge(
    block_ids: Sequence[int],
) -> dict[int, tuple[EditingAnswer | None, str]]:
    """Return the edit and output that each block asks about, at most two queries; omit blocks that
    ask for edits.

    Skipped outputs have no edit.
    """
    output = Output.objects.filter(pk=OuterRef("output"))
    asking = list(
        _asking(block_ids).values_list("pk", "asked", Subquery(output.values("text"))),
    )
    if asking:
        edits = edits_in_force([edited_block for _pk, edited_block, _text in asking])
    else:
        edits = {}
    edits_by_block = {}
    for pk, edited_block, text in asking:
        edits_by_block[pk] = (edits.get(edited_block), text or "")
    return edits_by_block


def _asking(block_ids: Sequence[int]) -> QuerySet[Any, Any]:
    """Return the blocks that ask about another judge's answer, with the block of that answer and the output."""
    first = Block.objects.filter(
        hit=OuterRef("hit__repeats"),
        segment=OuterRef("segment"),
    )
    asking = Block.objects.filter(pk__in=block_ids, hit__repeats__isnull=False)
    return asking.annotate(
        asked=Subquery(first.values("pk")[:1]),
        output=F("outputs__0"),
    )


def edits_in_force(
    block_ids: Sequence[int] | QuerySet[Any, Any],
) -> dict[int, EditingAnswer]:
    """Return the edit to be judged, by block: the latest by the judge who edited first. One query.

    If one judge starts a HIT and another finishes it, a block may have two edits.
    """
    first_judge: dict[int, int] = {}
    latest: dict[int, EditingAnswer] = {}
    edits = EditingAnswer.objects.filter(
        judgment__block__in=block_ids,
        acceptable__isnull=True,
    )
    for edit in edits.order_by("pk").select_related("judgment"):
        judgment = edit.judgment
        if (
            first_judge.setdefault(judgment.block_id, judgment.judge_id)
            == judgment.judge_id
        ):
            latest[judgment.block_id] = edit
    return latest


MAX_CHARACTERS: Final = 20_000
#: Rule that asks the last acceptor only if the earlier ones disagree.
THIRD: Final = "third_acceptor"
MAX_KEYSTROKES: Final = 1_000_000
#: Stated quality (0–100) from which simulated judges leave an output unchanged, and accept the
#: shown text.
_FINE: Final = 50
#: Below this quality, they cannot correct an output.
_HOPELESS: Final = 10


class EditingAnswerSerializer(PlainSerializer):
    """An edit with its outcome, or whether another edit is acceptable."""

    kind = ConstantField("editing")
    outcome = serializers.ChoiceField(
        choices=Outcome.choices,
        required=False,
        help_text="Set if the task asks for an edit.",
    )
    text = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=MAX_CHARACTERS,
        help_text="The edited text if the outcome is “edited”; otherwise empty.",
    )
    keystrokes = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=MAX_KEYSTROKES,
        help_text="Number of changes to the text while editing; null if not counted.",
    )
    acceptable = serializers.BooleanField(
        required=False,
        help_text="Set if the task shows another editor's edit: whether it is fluent and means the same.",
    )


class EditingRulesSerializer(PlainSerializer):
    """The task of a HIT in blind editing."""

    protocol = ConstantField(Protocol.EDITING)
    asked = serializers.ChoiceField(
        choices=[EDIT, ACCEPT],
        help_text="“edit”: edit an output; “accept”: say whether another editor's edit is acceptable.",
    )


class EditJSON(TypedDict):
    """An edit of an output; `text` is empty unless the outcome is “edited”."""

    outcome: str
    text: NotRequired[str]
    keystrokes: NotRequired[int | None]


class AcceptanceJSON(TypedDict):
    """A judgment of another judge's edit: acceptable or not."""

    acceptable: bool


class EditingAnswerJSON(TypedDict, total=False):
    """Either of them, as requests send it."""

    outcome: str
    text: str
    keystrokes: int | None
    acceptable: bool


def _block_refusal(
    assigned: AssignedBlock,
    answer: EditingAnswerJSON,
) -> SubmissionRefusedError | None:
    """Return the reason why an answer is refused for a block that asks for something else, or whose edit others review."""
    output = Output.objects.filter(pk=OuterRef("outputs__0"))
    block = (
        Block.objects.select_related("hit")
        .annotate(
            output_text=Subquery(output.values("text")),
            is_under_review=Exists(
                Assignment.objects.filter(hit__repeats=OuterRef("hit")),
            ),
        )
        .get(pk=assigned.block_id)
    )
    is_acceptance = "acceptable" in answer
    asks_for_acceptance = block.hit.repeats_id is not None
    if is_acceptance and not asks_for_acceptance:
        return answer_refused("This sentence asks for an edit.")
    if asks_for_acceptance and not is_acceptance:
        return answer_refused(
            "This sentence asks whether another editor’s edit is acceptable.",
        )
    if is_acceptance:
        return None
    refusal = _unchanged_refusal(answer, block.output_text)
    if refusal is None and block.is_under_review:
        return _late_refusal(assigned)
    return refusal


def _unchanged_refusal(
    answer: EditingAnswerJSON,
    output: str | None,
) -> SubmissionRefusedError | None:
    if answer.get("outcome") != Outcome.EDITED or answer["text"] != output:
        return None
    return answer_refused(
        _("The text is unchanged. Edit it, or choose “no corrections needed”."),
    )


def _late_refusal(assigned: AssignedBlock) -> SubmissionRefusedError | None:
    """Refuse to change the edit that others review: that of the judge who edited first."""
    edit = edits_in_force([assigned.block_id]).get(assigned.block_id)
    if edit is None or edit.judgment.judge_id != assigned.judge_id:
        return None
    return answer_refused(
        _(
            "Other judges have already received your edit, so it can no longer be changed.",
        ),
        stored=edit.judgment,
    )


def hits_with_disputed_edits(hit_ids: Sequence[int]) -> set[int]:
    """Return those of these HITs with an edit that some judges accepted and others rejected; ignore unedited
    outputs.
    """
    if not hit_ids:
        return set()
    acceptances = EditingAnswer.objects.filter(
        acceptable__isnull=False,
        edit__block__hit__in=list(hit_ids),
        judgment__superseded_by__isnull=True,
    ).exclude(edit__editinganswer__outcome=Outcome.UNABLE)
    by_edit = acceptances.order_by().values_list("edit__block__hit", "edit")
    split = by_edit.annotate(answers=Count("acceptable", distinct=True))
    return {hit for hit, _edit, _answers in split.filter(answers__gt=1)}


class EditingAnswers(AnswerKind):
    """Edits of outputs, and judgments of the edits of others."""

    protocol = Protocol.EDITING
    sentence = gettext_lazy(
        "Judges edit an output without seeing the source; others check that the result is fluent and means "
        "the same.",
    )
    work = gettext_lazy(
        "You correct texts without seeing the source, and decide whether corrections by others are acceptable.",
    )
    candidates = range(1, 2)
    serializer = EditingAnswerSerializer
    table = EditingAnswer
    about_column = "edit_id"
    rules_serializer = EditingRulesSerializer
    rules_fields = {
        THIRD: forms.BooleanField(
            label=gettext_lazy("Ask the last acceptor only if the others disagree"),
            help_text=gettext_lazy(
                "With four judges per block, one edits and two review; the fourth reviews only if these two disagree.",
            ),
            initial=False,
            required=False,
        ),
    }
    first_stage = FIRST_STAGE
    screen_words = {
        "edit_question": gettext_lazy(
            "Make this text as fluent as you can. The source is not shown.",
        ),
        "accept_question": gettext_lazy(
            "Is this text fluent, and does it mean the same as the source?",
        ),
        "edit_text": gettext_lazy("Edited text"),
        "choose_edited": gettext_lazy("edit"),
        "choose_unchanged": gettext_lazy("no corrections needed"),
        "choose_unable": gettext_lazy("unable to correct"),
        "choose_yes": gettext_lazy("acceptable"),
        "choose_no": gettext_lazy("not acceptable"),
        "outcome_edited": gettext_lazy("edited"),
        "outcome_unchanged": gettext_lazy("no corrections needed"),
        "outcome_unable": gettext_lazy("unable to correct"),
        "edit_wanted": gettext_lazy(
            "Edit the text, choose one of the answers, or skip the item.",
        ),
        "edit_lost": gettext_lazy(
            "You have edited the text. Choose “{answer}” again to discard your edit.",
        ),
        "edit_empty": gettext_lazy("The text is empty."),
        "accept_wanted": gettext_lazy("Choose an answer, or skip the item."),
    }

    def criterion(self, *, outputs_are_media: bool = False) -> Promise | str:
        return gettext_lazy(
            "Correct only what is not fluent. A corrected text is acceptable if it is fluent and means the same as the source.",
        )

    def shown_rules(self, campaign: Campaign, part: int) -> ShownRules:
        # Overridden by the stage of a HIT that repeats another.
        return dict(FIRST_STAGE.rules)

    def stages(self, block_ids: Sequence[int], judge_id: int) -> dict[int, Stage]:
        """Return the stages of blocks: an edit, or whether the shown edit is acceptable.

        An output without changes or edits is shown itself.
        """
        stages = dict.fromkeys(block_ids, FIRST_STAGE)
        for block_id, (edit, output) in edits_to_judge(block_ids).items():
            text = output
            if edit is not None and edit.outcome == Outcome.EDITED:
                text = edit.text
            stages[block_id] = Stage(rules={"asked": ACCEPT}, texts=(text,))
        return stages

    def refusal(
        self,
        assigned: AssignedBlock,
        answer: EditingAnswerJSON,
    ) -> SubmissionRefusedError | None:
        if len(assigned.candidates) != 1:
            # A practice block that lost an output because its system was withdrawn.
            return answer_refused("This task shows one output at a time.")
        if ("outcome" in answer) == ("acceptable" in answer):
            return answer_refused("Send either outcome (for an edit) or acceptable.")
        is_edited = answer.get("outcome") == Outcome.EDITED
        if answer.get("text") and not is_edited:
            return answer_refused("A text is only allowed with the outcome “edited”.")
        if is_edited and not answer["text"]:
            return answer_refused(
                _(
                    "The text is empty. Enter the edited text, or choose “unable to correct”.",
                ),
            )
        if assigned.unstored_texts is not None:
            # In a file, acceptances belong to their edit.
            return _unchanged_refusal(answer, assigned.unstored_texts.candidates[0])
        return _block_refusal(assigned, answer)

    def row(self, answer: EditingAnswerJSON, part: int) -> dict[str, object]:
        return {
            "outcome": answer.get("outcome", ""),
            "text": answer.get("text") or "",
            "keystrokes": answer.get("keystrokes"),
            "acceptable": answer.get("acceptable"),
        }

    def row_of(
        self,
        answer: EditingAnswerJSON,
        *,
        part: int,
        block_id: int,
    ) -> dict[str, object]:
        """Return the same with the edit that is accepted or rejected. At most one query."""
        return {
            **self.row(answer, part),
            self.about_column: _edit_accepted(answer, block_id),
        }

    def submitted(self, row: EditingAnswer) -> EditJSON | AcceptanceJSON:
        if row.acceptable is not None:
            return {"acceptable": row.acceptable}
        return {"outcome": row.outcome, "text": row.text, "keystrokes": row.keystrokes}

    def cell_kinds(self, candidates: int) -> dict[str, type]:
        return {"outcome": str, "text": str, "keystrokes": int, "acceptable": bool}

    @property
    def last_repeats_needed(self) -> Callable[[Sequence[int]], Set[int]] | None:
        if self.rules[THIRD]:
            return hits_with_disputed_edits
        return None

    def simulated(self, perceived: Perceived) -> EditJSON | AcceptanceJSON:
        quality = perceived.qualities[0] + perceived.random.gauss(0, _FINE / 5)
        if perceived.question.get("asked") == ACCEPT:
            return {"acceptable": quality >= _FINE / 2}
        if quality < _HOPELESS:
            return {"outcome": Outcome.UNABLE.value, "text": ""}
        if quality >= _FINE:
            outcome = Outcome.UNCHANGED
        else:
            outcome = Outcome.EDITED
        return {"outcome": outcome.value, "text": ""}

    def simulated_on(
        self,
        answer: EditingAnswerJSON,
        texts: Sequence[str],
        random: Random,
    ) -> EditingAnswerJSON:
        """Return an edit with one word removed; a single word is repeated instead."""
        if answer.get("outcome") != Outcome.EDITED:
            return answer
        words = texts[0].split(" ")
        del words[random.randrange(len(words))]
        edited = " ".join(words)
        if not "".join(words).strip():
            edited = f"{texts[0]} {texts[0]}".strip()
        return {**answer, "text": edited or "–"}


def _edit_accepted(answer: EditingAnswerJSON, block_id: int) -> int | None:
    """Return the edit that is accepted or rejected."""
    if "acceptable" not in answer:
        return None
    edits = edits_in_force(_asking([block_id]).values("asked"))
    return next((edit.pk for edit in edits.values()), None)


ANSWERS: Final = EditingAnswers
