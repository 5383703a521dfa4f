from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TwoOutputsConfig(AppConfig):
    name = "protocols.two_outputs"
    label = "two_outputs"
    verbose_name = _("Two outputs")

    def ready(self) -> None:
        from annotation.answer_files import answer_files_register
        from annotation.protocols import answer_kind_register
        from campaign.models import Protocol
        from protocols.two_outputs.analysis import TWO_OUTPUTS_COMPARED
        from protocols.two_outputs.answer_files import TWO_OUTPUTS_FILES
        from protocols.two_outputs.answers import TWO_OUTPUTS
        from ranking.analyses import analysis_register

        answer_kind_register(TWO_OUTPUTS)
        answer_files_register(Protocol.TWO_OUTPUTS, TWO_OUTPUTS_FILES)
        analysis_register(TWO_OUTPUTS_COMPARED)
