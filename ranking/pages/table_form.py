"""The form of a table over the test sets of a campaign: its fields are the options of its kind."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from ranking.analyses.judgments import GROUP
from ranking.analyses.options import OptionError
from ranking.campaign_tables import TableKind
from ranking.pages.analysis_form import completed_query, group_field, option_field, said_of


class TableForm(forms.Form):
    """The options of a kind of table; `groups` are the names of the campaign's groups of judges."""

    def __init__(self, data: QueryDict | None, *, kind: TableKind, groups: Sequence[str]) -> None:
        # What the address does not say is as usual, and the form shows that.
        super().__init__(None if data is None else completed_query(data, kind.options))
        self.kind = kind
        self.label_suffix = ""
        for option in kind.options:
            field = group_field(groups) if option is GROUP else option_field(option)
            if field is not None:
                self.fields[option.name] = field

    @property
    def given(self) -> dict[str, Any]:
        """The options that differ from their defaults, for `table_choice`; of a valid form."""
        return said_of(self.kind.options, self.cleaned_data)

    def refuse(self, error: OptionError) -> None:
        """Say beside its field what cannot be."""
        self.add_error(error.field if error.field in self.fields else None, str(error))
