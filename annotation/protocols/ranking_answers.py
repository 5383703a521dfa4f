"""Answers of the five-way ranking, which consist of labels only."""

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from annotation.protocols.answer_kinds import (
    QUESTION,
    AnswerKind,
    Perceived,
    QuestionField,
    QuestionSerializer,
    ShownRules,
)
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.sampling.parameters import FEWEST_CANDIDATES, MOST_CANDIDATES
from campaign.api.constants import ConstantField
from campaign.models import Campaign, Protocol

Labels = Sequence[int | None]

# Minimum number of ranked outputs in a block if the campaign allows partial rankings.
FEWEST_RANKED: Final = 2


class RankingRulesSerializer(QuestionSerializer):
    """Rules of the campaign for rankings."""

    protocol = ConstantField(Protocol.RANKING)
    partial = serializers.BooleanField(  # type: ignore[assignment]  # the contract's name
        help_text="Some outputs may stay without a rank.",
    )


class RankingAnswers(AnswerKind):
    """Ranks of all outputs, or of some if the campaign allows partial rankings."""

    protocol = Protocol.RANKING
    sentence = gettext_lazy(
        "Judges rank five outputs from best to worst; ties are allowed.",
    )
    work = gettext_lazy("You rank up to five outputs from best to worst.")
    question_about_media = gettext_lazy(
        "Rank the outputs from best to worst by their overall quality. Ties are allowed.",
    )
    candidates = range(FEWEST_CANDIDATES, MOST_CANDIDATES + 1)
    rules_fields = {QUESTION: QuestionField()}
    rules_serializer = RankingRulesSerializer
    screen_words = {
        "ranking_question_media": gettext_lazy(
            "Rank the outputs from best to worst. Ties are allowed.",
        ),
        "ranking_question": gettext_lazy(
            "Rank the outputs from best to worst: meaning first, then fluency. Ties are allowed.",
        ),
    }

    def shown_rules(self, campaign: Campaign, part: int) -> ShownRules:
        return {"partial": campaign.allow_partial_ranking}

    def refusal(
        self,
        assigned: AssignedBlock,
        answer: Labels,
    ) -> SubmissionRefusedError | None:
        if len(answer) != assigned.candidate_count:
            return SubmissionRefusedError(
                f"{len(answer)} labels were sent for {assigned.candidate_count} outputs. Send one label per output.",
            )
        if any(label is not None and not 1 <= label <= 5 for label in answer):
            return SubmissionRefusedError("Ranks must be between 1 and 5.")
        if None not in answer:
            return None
        missing = []
        for candidate, label in zip(assigned.candidates, answer, strict=True):
            if label is None:
                missing.append(candidate)
        if len(missing) == len(answer):
            return SubmissionRefusedError(
                _("No output is ranked yet."),
                missing=missing,
            )
        if not assigned.allow_partial_ranking:
            return SubmissionRefusedError(
                _("Some outputs are not ranked yet."),
                missing=missing,
            )
        # A single rank makes no comparison; files have such judgments.
        if len(answer) - len(missing) < FEWEST_RANKED and not assigned.is_imported:
            return SubmissionRefusedError(
                _("Rank at least two outputs, or skip the item."),
                missing=missing,
            )
        return None

    def labels(self, answer: Labels, candidates: int) -> list[int | None]:
        return list(answer)

    def simulated(self, perceived: Perceived) -> Labels:
        return perceived.labels
