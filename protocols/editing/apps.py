from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class EditingConfig(AppConfig):
    name = "protocols.editing"
    label = "editing"
    verbose_name = _("Blind editing")

    def ready(self) -> None:
        from annotation.answer_files import answer_files_register
        from annotation.protocols import answer_kind_register
        from campaign.models import Protocol
        from protocols.editing.analysis import ACCEPTABLE_EDITS
        from protocols.editing.answer_files import EDITING_FILES
        from protocols.editing.answers import EDITING
        from protocols.editing.output_scores import editing_output_scores
        from ranking.analyses import analysis_register
        from ranking.selectors.output_scores import output_scores_register

        answer_kind_register(EDITING)
        answer_files_register(Protocol.EDITING, EDITING_FILES)
        analysis_register(ACCEPTABLE_EDITS)
        output_scores_register(Protocol.EDITING, editing_output_scores)
