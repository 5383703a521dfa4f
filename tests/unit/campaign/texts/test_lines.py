"""Line breaks of fields of several lines, which browsers count once and send as two characters."""

from collections.abc import Iterator
from importlib import import_module

from django import forms

from campaign.pages.forms import MessageForm
from campaign.texts.lines import LinesTextarea


def form_classes(form: type[forms.BaseForm] = forms.BaseForm) -> Iterator[type]:
    """Yield the form classes of Quintet that are loaded."""
    for each in form.__subclasses__():
        if not each.__module__.startswith(("django", "allauth")):
            yield each
        yield from form_classes(each)


def test_text_is_as_long_as_the_browser_counts() -> None:
    """jquery-validation 2101, verbb/formie 1479, AndrewPaglusch/FlashPaper 64: a text at the limit was refused."""
    note = "\n".join(["x" * 99] * 10)
    sent = {"language": "en", "note": (note + "y").replace("\n", "\r\n")}
    form = MessageForm(sent)
    assert form.is_valid()
    assert form.cleaned_data["note"] == note + "y"


def test_every_field_of_several_lines_counts_so() -> None:
    import_module("config.urls")
    counted = []
    otherwise = []
    for form in form_classes():
        for name, field in form.base_fields.items():  # type: ignore[attr-defined]
            if isinstance(field.widget, LinesTextarea):
                counted.append(name)
            elif isinstance(field.widget, forms.Textarea):
                otherwise.append(f"{form.__name__}.{name}")
    assert otherwise == []
    assert len(counted) > 10
