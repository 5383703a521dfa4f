"""Forms of the metrics page, and uploaded files as input for readers."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.formats.streams import StoredFile
from campaign.importing.uploaded_files import sent_file
from ranking.core.metrics.texts import TEXT_METRICS, TOKENS, is_tokenization_installed

#: Of all files of a request.
MAX_BYTES: Final = 100_000_000


def stored_files(files: Sequence[Any]) -> list[StoredFile]:
    """Return uploaded files as files that can be reopened. Raises ValidationError if they are too large."""
    if sum(file.size for file in files) > MAX_BYTES:
        raise forms.ValidationError(_("The files exceed 100 MB."))
    return [sent_file(file) for file in files]


class _Files(forms.FileInput):
    allow_multiple_selected = True


class _FilesField(forms.FileField):
    widget = _Files

    def clean(self, data: Any, initial: Any = None) -> list[StoredFile]:
        one = super().clean
        return stored_files([one(file, initial) for file in data or [None]])


class MetricScoresForm(forms.Form):
    """Files with scores."""

    files = _FilesField(  # type: ignore[assignment]  # Named as in the REST request, and as Django names uploads.
        label=gettext_lazy("Files"),
        help_text=gettext_lazy(
            "JSON Lines or TSV with system, segment and score; .seg.score or .sys.score files; WMT automatic scores; or an archive of an EvalSet folder. Up to 100 MB.",
        ),
    )
    name = forms.CharField(
        label=gettext_lazy("Metric name"),
        max_length=100,
        required=False,
        help_text=gettext_lazy("For files that do not name the metric."),
    )
    lower_is_better = forms.BooleanField(
        label=gettext_lazy("Lower is better"),
        required=False,
    )
    is_human = forms.BooleanField(label=gettext_lazy("Human scores"), required=False)


def _tokenizations() -> list[tuple[str, str]]:
    installed = [(name, name) for name in TOKENS if is_tokenization_installed(name)]
    return [("", _("Default for the target language")), *installed]


class TextMetricsForm(forms.Form):
    """Metrics to compute from texts."""

    metrics = forms.MultipleChoiceField(
        label=gettext_lazy("Metrics"),
        choices=[(name, name) for name in TEXT_METRICS],
        initial=list(TEXT_METRICS),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "TER takes about 10 seconds per thousand outputs, the others less than a second.",
        ),
    )
    lowercase = forms.BooleanField(label=gettext_lazy("Ignore case"), required=False)
    tokens = forms.ChoiceField(
        label=gettext_lazy("Tokenisation (BLEU, WER, PER)"),
        choices=_tokenizations,
        required=False,
    )
