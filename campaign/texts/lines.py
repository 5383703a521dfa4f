"""Texts of several lines, as browsers send them."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.datastructures import MultiValueDict


def line_breaks_normalised(text: str) -> str:
    """Return a text with the line breaks that browsers count: they send two characters for each, and allow for one."""
    return text.replace("\r\n", "\n")


class LinesTextarea(forms.Textarea):
    """A field of several lines, whose text is as long as the browser says."""

    def value_from_datadict(
        self,
        data: Mapping[str, Any],
        files: MultiValueDict[str, Any],
        name: str,
    ) -> Any:
        """Return the text without carriage returns."""
        value = super().value_from_datadict(data, files, name)
        if isinstance(value, str):
            value = line_breaks_normalised(value)
        return value
