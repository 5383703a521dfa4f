from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class EditingConfig(AppConfig):
    name = "protocols.editing"
    label = "editing"
    verbose_name = _("Blind editing")

    def ready(self) -> None:
        from annotation.protocols import answer_kind_register
        from protocols.editing.analysis import ACCEPTABLE_EDITS
        from protocols.editing.answers import EDITING
        from ranking.analyses import analysis_register

        answer_kind_register(EDITING)
        analysis_register(ACCEPTABLE_EDITS)
