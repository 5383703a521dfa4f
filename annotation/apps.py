from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.protocols.answer_kinds import answer_kind_register
        from annotation.protocols.ranking_answers import RankingAnswers
        from annotation.selectors.designs import reference_use_sentences
        from annotation.selectors.task_rules import has_judgments
        from annotation.services.quality import suggested_rules_add
        from campaign.selectors.tasks import (
            judgments_requested,
            reference_use_requested,
        )
        from campaign.services.campaigns import suggested_rules_requested

        reference_use_requested.connect(
            reference_use_sentences,
            dispatch_uid="reference-use",
        )
        judgments_requested.connect(has_judgments, dispatch_uid="judgments")
        suggested_rules_requested.connect(
            suggested_rules_add,
            dispatch_uid="suggested-rules",
        )
        answer_kind_register(RankingAnswers)
