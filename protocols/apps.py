from importlib import import_module

from django.apps import AppConfig


class ProtocolsConfig(AppConfig):
    name = "protocols"

    def ready(self) -> None:
        """Register the parts of each protocol; its folder or module is named after its stored
        value.
        """
        from annotation.protocols.answer_files import answer_files_register
        from annotation.protocols.answer_kinds import answer_kind_register
        from campaign.models import Protocol
        from ranking.importing.machine_judgments import with_machine_judgments
        from ranking.reports.analyses.registry import analysis_register
        from ranking.selectors.analyses import (
            ANSWER_SCORE_READERS,
            ERROR_READERS,
            SCORE_READERS,
        )

        for protocol in sorted(set(Protocol) - {Protocol.RANKING}):
            own = import_module(f"protocols.{protocol}")
            answers, files, report = (
                import_module(f"{own.__name__}.{part}")
                if hasattr(own, "__path__")
                else own
                for part in ("answers", "files", "report")
            )
            if hasattr(files, "__path__"):
                # A folder, whose other modules read files without Django.
                files = import_module(f"{files.__name__}.answers")
            answer_kind_register(answers.ANSWERS, getattr(answers, "PRESETS", ()))
            answer_files_register(
                protocol,
                with_machine_judgments(protocol, files.FILES),
            )
            for analysis in getattr(report, "ANALYSES", [report.ANALYSIS]):
                analysis_register(analysis)
            # For protocols whose blocks show one output.
            if hasattr(files, "output_scores"):
                SCORE_READERS[protocol] = files.output_scores
            if hasattr(files, "given_scores"):
                ANSWER_SCORE_READERS[protocol] = files.given_scores
            if hasattr(files, "output_errors"):
                ERROR_READERS[protocol] = files.output_errors
