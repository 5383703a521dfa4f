"""Answers about adequacy and fluency: 1 to 5 points (5 is best) for one output (Hamon et al. 2007).

The pass of the HIT decides which: fluency comes first, adequacy second.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from django import forms
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Assignment, Judgment
from annotation.protocols import (
    WHOLE_DOCUMENT,
    WHOLE_DOCUMENT_FIELD,
    Needs,
    Passes,
    TextsBeside,
    rules_completed,
)
from annotation.submissions import AssignedBlock, SubmissionRefusedError, answer_refused
from campaign.models import Protocol
from protocols.frame.scale.answers import criterion_asked, refusal, scale_answers
from protocols.models import AdequacyBasis, Criterion
from protocols.rating.feasibility import feasibility, feasibility_in_words

_ADEQUACY: Final = 2


_RULES: Final[dict[str, forms.Field]] = {
    "raters": forms.IntegerField(
        label=gettext_lazy("Judges per text"),
        initial=2,
        min_value=1,
        max_value=50,
    ),
    "items_per_judge": forms.IntegerField(
        label=gettext_lazy("Maximum texts per judge (empty for no limit)"),
        min_value=1,
        max_value=100_000,
        required=False,
    ),
    "adequacy_basis": forms.ChoiceField(
        label=gettext_lazy("Compare adequacy with"),
        choices=AdequacyBasis.choices,
        initial=AdequacyBasis.REFERENCE.value,
    ),
    "order_free": forms.BooleanField(
        label=gettext_lazy("Fluency ratings can be changed after adequacy ratings"),
        initial=False,
        required=False,
    ),
    "adequacy_by_others": forms.BooleanField(
        label=gettext_lazy("Adequacy and fluency are rated by different judges"),
        initial=False,
        required=False,
        help_text=gettext_lazy("Needs twice as many judges."),
    ),
    WHOLE_DOCUMENT: WHOLE_DOCUMENT_FIELD,
}
#: Returns the rules of a task, completed with defaults.
rules_complete: Final = partial(rules_completed, _RULES)


def _refusal(assigned: AssignedBlock, answer: Mapping[str, Any]) -> SubmissionRefusedError | None:
    if refused := refusal(assigned, answer):
        return refused
    asked = criterion_asked(Protocol.RATING, assigned.part)
    is_free = assigned.rules.get("order_free") or assigned.rules.get("adequacy_by_others")
    if asked == Criterion.FLUENCY and not is_free and _is_late(assigned):
        return answer_refused(
            _("You have started rating adequacy, so fluency ratings can no longer be changed.")
        )
    return None


def _is_late(assigned: AssignedBlock) -> bool:
    """Return True if a judge changes an earlier rating after being lent texts for adequacy.

    First ratings of texts lent earlier are accepted, for instance after working offline.
    """
    # Checked only if a judgment exists, because it reads everything the judge was lent.
    second = Assignment.objects.filter(
        judge=OuterRef("judge"), hit__task=OuterRef("task"), hit__part=_ADEQUACY
    )
    said = Judgment.objects.filter(block=assigned.block_id, judge=assigned.judge_id)
    return said.filter(Exists(second)).exists()


def _texts(part: int, rules: Mapping[str, Any]) -> TextsBeside:
    """Return the texts shown: for fluency only outputs; for adequacy also the basis.

    Judges who alternate between the criteria get no context with adequacy: it would show them the source or
    reference of outputs whose fluency they rate later.
    """
    chosen = rules_complete(rules)
    if part != _ADEQUACY:
        return TextsBeside(source=False, references=False, context=chosen[WHOLE_DOCUMENT])
    basis = chosen["adequacy_basis"]
    return TextsBeside(
        source=basis in (AdequacyBasis.SOURCE, AdequacyBasis.BOTH),
        references=basis in (AdequacyBasis.REFERENCE, AdequacyBasis.BOTH),
        context=not chosen["adequacy_by_others"],
    )


def _needs(texts: Sequence[int], judges: int, most: int, rules: Mapping[str, Any]) -> Needs:
    chosen = rules_complete(rules)
    found = feasibility(
        texts,
        judges=judges,
        raters=chosen["raters"],
        items_per_judge=most,
        is_adequacy_by_others=chosen["adequacy_by_others"],
    )
    words = list(feasibility_in_words(found))
    return Needs(judges=found.needed_judges, is_feasible=found.is_feasible, words=words)


ANSWERS: Final = scale_answers(
    Protocol.RATING,
    refusal=_refusal,
    shown_rules=lambda _campaign, rules: {
        "adequacy_basis": rules_complete(rules)["adequacy_basis"]
    },
    passes=Passes(
        texts=_texts,
        rules=lambda part, _rules: {"criterion": criterion_asked(Protocol.RATING, part).value},
        raters=lambda rules: int(rules_complete(rules)["raters"]),
        items_per_judge=lambda rules: rules_complete(rules)["items_per_judge"],
        needs=_needs,
        segments_per_hit=10,
        is_second_by_others=lambda rules: bool(rules_complete(rules)["adequacy_by_others"]),
    ),
    rules_fields=_RULES,
)
