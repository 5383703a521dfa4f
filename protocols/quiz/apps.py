from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class QuizConfig(AppConfig):
    name = "protocols.quiz"
    label = "quiz"
    verbose_name = _("Quiz")

    def ready(self) -> None:
        from annotation.protocols import answer_kind_register
        from protocols.quiz.analysis import UNDERSTOOD
        from protocols.quiz.answers import QUIZ
        from ranking.analyses import analysis_register

        answer_kind_register(QUIZ)
        analysis_register(UNDERSTOOD)
