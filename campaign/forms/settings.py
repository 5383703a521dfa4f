"""What organisers fill in to change the rules of a campaign."""

from collections.abc import Mapping
from typing import Any, Final

from django.forms.models import fields_for_model

from campaign.forms.versions import VersionedForm
from campaign.models import Campaign
from campaign.services.rules import (
    MAX_BLOCKS,
    MAX_LEASE_MINUTES,
    ReferenceRankedError,
    Rules,
    RulesRefusedError,
    campaign_change,
)

_RULES: Final = tuple(Rules.__annotations__)
#: The largest number of each that is one.
_MOST: Final = {"blocks_per_judge": MAX_BLOCKS, "lease_minutes": MAX_LEASE_MINUTES}


def _field(field: Any, **options: Any) -> Any:
    limits = {"min_value": 1, "max_value": _MOST[field.name]} if field.name in _MOST else {}
    return field.formfield(**limits, **options)


class SettingsForm(VersionedForm):
    """The rules of a campaign. Each help text says what a change does to judges at work."""

    def __init__(self, data: Mapping[str, Any] | None = None, *, campaign: Campaign) -> None:
        self.campaign = campaign
        super().__init__(data, initial={name: getattr(campaign, name) for name in _RULES})
        self.fields.update(fields_for_model(Campaign, _RULES, formfield_callback=_field))

    def save(self, *, rank_shown_reference: bool = False) -> bool:
        """Change what was changed here and nothing else; False, with an error, if refused.

        Raises `ReferenceRankedError` where `rank_shown_reference` has to be asked for.
        """
        changes: Any = {name: self.cleaned_data[name] for name in self.changed_data}
        try:
            campaign_change(
                campaign=self.campaign, rank_shown_reference=rank_shown_reference, **changes
            )
        except ReferenceRankedError:
            raise
        except RulesRefusedError as error:
            self.add_error(error.field, str(error))
            return False
        return True
