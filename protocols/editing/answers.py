"""The answers of blind editing: an edit of an output, or whether somebody else's edit is acceptable.

Which of them a block asks for says its HIT: those that repeat no other ask for edits, of an output that stands alone;
those that repeat one ask two others whether what came out is fluent and means the same.
"""

from collections.abc import Mapping, Sequence, Set
from random import Random
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import BigIntegerField, Count, F, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from annotation.models import HIT, Assignment, Block, Judgment
from annotation.protocols import AnswerKind, Rules
from annotation.submissions import AssignedBlock, SubmissionRefusedError
from campaign.database.prepared_query import Parameter, PreparedQuery
from campaign.models import Campaign, Output, Protocol
from protocols.editing.edits_shown import (
    ACCEPT,
    EDIT,
    FIRST_STAGE,
    edit_asked_about,
    edits_in_force,
    first_judgment,
    stages,
)
from protocols.editing.models import Answer, Outcome
from protocols.editing.simulator import simulated_edit

MAX_CHARACTERS: Final = 20_000
#: The rule by which the last acceptor is asked where those before them disagree.
THIRD: Final = "third_acceptor"
MAX_KEYSTROKES: Final = 1_000_000
#: From this stated quality on (0–100), simulated judges leave an output as it is, and accept what is shown.
_FINE: Final = 50
#: Below it they cannot correct an output.
_HOPELESS: Final = 10


class EditingAnswerSerializer(serializers.Serializer[object]):
    """An edit, with its outcome; or whether an edit is acceptable."""

    outcome = serializers.ChoiceField(
        choices=Outcome.choices,
        required=False,
        help_text="Where the task asks for an edit.",
    )
    text = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=MAX_CHARACTERS,
        help_text="What came out, where the outcome is “edited”; empty otherwise.",
    )
    keystrokes = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=MAX_KEYSTROKES,
        help_text="Changes of the text while it was edited; null where nobody counted them.",
    )
    acceptable = serializers.BooleanField(
        required=False,
        help_text="Where the task asks about somebody else's edit: it is fluent and means the same.",
    )


class EditingRulesSerializer(serializers.Serializer[object]):
    """What a HIT of blind editing asks."""

    asked = serializers.ChoiceField(
        choices=[EDIT, ACCEPT],
        help_text="“edit”: an edit of an output; “accept”: whether somebody else's edit is acceptable.",
    )


def _labels(_answer: Mapping[str, Any], candidates: int) -> list[int | None]:
    """Return that nothing is compared: one output is asked about."""
    return [1] * candidates


def _refused(words: str) -> SubmissionRefusedError:
    return SubmissionRefusedError(words, field="answer")


def _refusal(assigned: AssignedBlock, answer: Mapping[str, Any]) -> SubmissionRefusedError | None:
    if len(assigned.candidates) != 1:
        # Practice of which a system was withdrawn.
        return _refused(_("Judges of this task are asked about one output at a time."))
    is_edit, is_acceptance = "outcome" in answer, "acceptable" in answer
    if is_edit == is_acceptance:
        return _refused(
            _("An answer has either an outcome, of an edit, or says what is acceptable.")
        )
    repeats, output = _ASKED.row(block_id=assigned.block_id) or (None, None)
    if is_acceptance != (repeats is not None):
        return _refused(
            _("This sentence asks for an edit.")
            if is_acceptance
            else _("This sentence asks whether somebody else’s edit is acceptable.")
        )
    return None if is_acceptance else _edit_refusal(output, answer)


def _asked(*, block_id: int | Parameter) -> QuerySet[Block, Any]:
    """Return the HIT that a block's HIT repeats, if any, and the text of its output."""
    output = Output.objects.filter(pk=OuterRef("output"))
    return (
        Block.objects.filter(pk=block_id)
        .annotate(output=F("outputs__0"))
        .values_list("hit__repeats", Subquery(output.values("text")))
    )


def _edit_refusal(output: str | None, answer: Mapping[str, Any]) -> SubmissionRefusedError | None:
    is_edited = answer["outcome"] == Outcome.EDITED
    if not is_edited:
        return _refused(_("Only what was edited has a text.")) if answer["text"] else None
    if not answer["text"]:
        return _refused(
            _("The text is empty: write what came out, or say that you are unable to correct it.")
        )
    if answer["text"] == output:
        return _refused(_("The text is as it was: change it, or say that it needs no corrections."))
    return None


def _store(judgment: Judgment, answer: Mapping[str, Any]) -> None:
    if "acceptable" in answer:
        edit = edit_asked_about(judgment.block_id)
        Answer.objects.create(
            judgment=judgment,
            acceptable=answer["acceptable"],
            edit_id=None if edit is None else edit.pk,
        )
        return
    _stays_once_lent(judgment)
    Answer.objects.create(
        judgment=judgment,
        outcome=answer["outcome"],
        text=answer.get("text", ""),
        keystrokes=answer.get("keystrokes"),
    )


def _stays_once_lent(judgment: Judgment) -> None:
    """Raise `SubmissionRefusedError` if others were lent the edit that this judgment would change.

    Takes the locks of the HITs that ask about it, so that none of them is lent meanwhile.
    """
    if not _LENT_TO_OTHERS.rows(block_id=judgment.block_id):
        return
    first = first_judgment(judgment.block_id)
    if first is not None and first.pk != judgment.pk and first.judge_id != judgment.judge_id:
        # Others are asked about the edit of who was first: this one changes nothing.
        return
    edit = edits_in_force([judgment.block_id]).get(judgment.block_id)
    raise SubmissionRefusedError(
        _("Others are asked about this sentence already: what you said of it stays as it is."),
        stored=None if edit is None else edit.judgment,
        field="answer",
    )


def _asking_locked(*, block_id: int | Parameter) -> QuerySet[HIT, Any]:
    """Return the HITs that ask about what is said of a block, locked."""
    asking = HIT.objects.filter(repeats=_hit_of(block_id)).select_for_update(no_key=True)
    return asking.order_by("pk").values_list("pk")


def _lent_to_others(*, block_id: int | Parameter) -> QuerySet[Assignment, Any]:
    lent = Assignment.objects.filter(hit__repeats=_hit_of(block_id))
    return lent.order_by("pk").values_list("pk")[:1]


def _hit_of(block_id: int | Parameter) -> Subquery:
    return Subquery(Block.objects.filter(pk=block_id).values("hit"))


_OF_A_BLOCK: Final = {"block_id": BigIntegerField()}
_ASKED: Final = PreparedQuery("editing_asked", _asked, _OF_A_BLOCK)
# The locks first, by a query of their own: what was lent while it waited for them is seen.
_LENT_TO_OTHERS: Final = PreparedQuery(
    "editing_lent_to_others",
    _lent_to_others,
    _OF_A_BLOCK,
    first=PreparedQuery("editing_asking_lock", _asking_locked, _OF_A_BLOCK),
)


def _as_given(answer: Any) -> dict[str, Any]:
    if answer.acceptable is not None:
        return {"acceptable": answer.acceptable}
    return {"outcome": answer.outcome, "text": answer.text, "keystrokes": answer.keystrokes}


def _rules(rules: Mapping[str, Any]) -> Rules:
    others = sorted(set(rules) - {THIRD})
    if others:
        raise ValidationError(
            _("This protocol has no rule “%(name)s”.") % {"name": ", ".join(others)}
        )
    chosen = rules.get(THIRD, False)
    if type(chosen) is not bool:
        raise ValidationError(_("third_acceptor is true or false."))
    return {THIRD: chosen}


def _third_is_needed(rules: Mapping[str, Any], hit_ids: Sequence[int]) -> Set[int] | None:
    """Return of which HITs an edit was accepted by some and rejected by others; outputs as they are count for nothing."""
    if not _rules(rules)[THIRD]:
        return None
    if not hit_ids:
        return set()
    said = Answer.objects.filter(
        acceptable__isnull=False,
        edit__block__hit__in=list(hit_ids),
        judgment__superseded_by__isnull=True,
    ).exclude(edit__editing_answer__outcome=Outcome.UNABLE)
    by_edit = said.order_by().values_list("edit__block__hit", "edit")
    split = by_edit.annotate(answers=Count("acceptable", distinct=True)).filter(answers__gt=1)
    return {hit for hit, _edit, _answers in split}


def _shown_rules(_campaign: Campaign, _rules: Mapping[str, Any]) -> Rules:
    """Return that edits are asked for, which the stage of a HIT that repeats another overrules."""
    return dict(FIRST_STAGE.rules)


def _simulated(
    qualities: Sequence[float],
    _labels: Sequence[int | None],
    rules: Mapping[str, Any],
    random: Random,
) -> dict[str, Any]:
    perceived = qualities[0] + random.gauss(0, _FINE / 5)
    if rules.get("asked") == ACCEPT:
        return {"acceptable": perceived >= _FINE / 2}
    if perceived < _HOPELESS:
        return {"outcome": Outcome.UNABLE.value, "text": ""}
    return {
        "outcome": (Outcome.UNCHANGED if perceived >= _FINE else Outcome.EDITED).value,
        "text": "",
    }


def _simulated_on(
    answer: Mapping[str, Any], texts: Sequence[str], _rules: Mapping[str, Any], random: Random
) -> dict[str, Any]:
    if answer.get("outcome") != Outcome.EDITED:
        return dict(answer)
    return {**answer, "text": simulated_edit(texts[0], random)}


EDITING: Final = AnswerKind(
    protocol=Protocol.EDITING,
    candidates=range(1, 2),
    serializer=EditingAnswerSerializer,
    labels=_labels,
    refusal=_refusal,
    store=_store,
    table=Answer,
    columns=("acceptable", "outcome", "text", "keystrokes"),
    as_given=_as_given,
    rules=_rules,
    shown_rules=_shown_rules,
    rules_serializer=EditingRulesSerializer,
    simulated=_simulated,
    simulated_on=_simulated_on,
    first_stage=FIRST_STAGE,
    stages=stages,
    last_is_needed=_third_is_needed,
    rules_fields={
        THIRD: forms.BooleanField(
            label=gettext_lazy("Ask the last acceptor only where those before disagree"),
            help_text=gettext_lazy(
                "With four judges for a block: one edits, two accept, and a third is asked about sentences of which one edit was accepted by one and rejected by the other."
            ),
            required=False,
        )
    },
)
