from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TopConfig(AppConfig):
    name = "protocols.top"
    label = "top"
    verbose_name = _("Top or not")

    def ready(self) -> None:
        from annotation.answer_files import answer_files_register
        from annotation.protocols import answer_kind_register
        from campaign.models import Protocol
        from protocols.top.analysis import TIMES_COMPARED
        from protocols.top.answer_files import TOP_FILES
        from protocols.top.answers import TOP_OR_NOT
        from ranking.analyses import analysis_register

        answer_kind_register(TOP_OR_NOT)
        answer_files_register(Protocol.TOP, TOP_FILES)
        analysis_register(TIMES_COMPARED)
