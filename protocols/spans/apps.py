from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SpansConfig(AppConfig):
    name = "protocols.spans"
    label = "spans"
    verbose_name = _("Error spans")

    def ready(self) -> None:
        from annotation.answer_files import answer_files_register
        from annotation.protocols import answer_kind_register
        from campaign.models import Protocol
        from protocols.spans.answer_files import SPANS_FILES
        from protocols.spans.answers import SPANS
        from protocols.spans.asked import SPANS_ANALYSED
        from protocols.spans.output_scores import spans_output_scores
        from ranking.analyses import analysis_register
        from ranking.selectors.output_scores import output_scores_register

        answer_kind_register(SPANS)
        answer_files_register(Protocol.SPANS, SPANS_FILES)
        analysis_register(SPANS_ANALYSED)
        output_scores_register(Protocol.SPANS, spans_output_scores)
