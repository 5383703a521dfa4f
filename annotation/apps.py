from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation.protocols.answer_kinds import answer_kind_register
        from annotation.protocols.ranking_answers import RankingAnswers
        from annotation.selectors.designs import reference_use_said
        from annotation.selectors.task_rules import judgments_said
        from annotation.services.quality import suggested_rules_add
        from campaign.selectors.tasks import judgments_asked, reference_use_asked
        from campaign.services.campaigns import suggested_rules_asked

        reference_use_asked.connect(reference_use_said, dispatch_uid="reference-use")
        judgments_asked.connect(judgments_said, dispatch_uid="judgments")
        suggested_rules_asked.connect(
            suggested_rules_add, dispatch_uid="suggested-rules"
        )
        answer_kind_register(RankingAnswers)
