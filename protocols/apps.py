"""The apps of the protocols. As each begins, it makes known what is particular to it."""

from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ProtocolConfig(AppConfig):
    """A protocol: its answers, their files, its analysis, and the scores of outputs where its answers give any."""

    has_scores = False

    def ready(self) -> None:
        from annotation.answer_files import answer_files_register
        from annotation.protocols import answer_kind_register
        from ranking.analyses import analysis_register
        from ranking.selectors.output_scores import output_scores_register

        answer_kind_register(import_module(f"{self.name}.answers").ANSWERS)
        answer_files_register(self.label, import_module(f"{self.name}.files").FILES)
        analysis_register(import_module(f"{self.name}.report").ANALYSIS)
        if self.has_scores:
            output_scores_register(self.label, import_module(f"{self.name}.files").output_scores)


class EditingConfig(ProtocolConfig):
    name = "protocols.editing"
    verbose_name = _("Blind editing")
    has_scores = True


class QuizConfig(ProtocolConfig):
    name = "protocols.quiz"
    verbose_name = _("Quiz")
    has_scores = True


class RatingConfig(ProtocolConfig):
    name = "protocols.rating"
    verbose_name = _("Adequacy and fluency")
    has_scores = True


class SortingConfig(ProtocolConfig):
    name = "protocols.sorting"
    verbose_name = _("Sorting")


class SpansConfig(ProtocolConfig):
    name = "protocols.spans"
    verbose_name = _("Error spans")
    has_scores = True


class TopConfig(ProtocolConfig):
    name = "protocols.top"
    verbose_name = _("Top or not")


class TwoOutputsConfig(ProtocolConfig):
    name = "protocols.two_outputs"
    verbose_name = _("Two outputs")
