from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class QuizConfig(AppConfig):
    name = "protocols.quiz"
    label = "quiz"
    verbose_name = _("Quiz")

    def ready(self) -> None:
        from annotation.answer_files import answer_files_register
        from annotation.protocols import answer_kind_register
        from campaign.models import Protocol
        from protocols.quiz.analysis import UNDERSTOOD
        from protocols.quiz.answer_files import QUIZ_FILES
        from protocols.quiz.answers import QUIZ
        from protocols.quiz.output_scores import quiz_output_scores
        from ranking.analyses import analysis_register
        from ranking.selectors.output_scores import output_scores_register

        answer_kind_register(QUIZ)
        answer_files_register(Protocol.QUIZ, QUIZ_FILES)
        analysis_register(UNDERSTOOD)
        output_scores_register(Protocol.QUIZ, quiz_output_scores)
