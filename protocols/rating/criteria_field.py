"""The form field with which organisers describe the criteria of a rating task."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from annotation.protocols.answer_kinds import RuleField
from campaign.texts.joining import comma_list
from campaign.texts.lines import LinesTextarea
from protocols.frame.scale.criteria import CriterionJSON, criteria_read
from protocols.frame.scale.presets import PRESET_NAMES, preset_criteria


class CriteriaField(RuleField):
    """A list of criteria, or the name of a preset, which stands for its criteria."""

    widget = LinesTextarea

    def __init__(self, **arguments: Any) -> None:
        super().__init__(required=False, initial=[], **arguments)

    def rule_value(self, value: Any) -> list[CriterionJSON]:
        """Return the criteria; none stand for adequacy and fluency."""
        if isinstance(value, str) and value:
            if value not in PRESET_NAMES:
                raise ValidationError(
                    _(
                        "“%(name)s” is not a preset of criteria. Choose one of: %(names)s.",
                    )
                    % {"name": value, "names": comma_list(PRESET_NAMES)},
                )
            criteria = preset_criteria(value)
        else:
            criteria = criteria_read(value or [])
        return [criterion.as_json() for criterion in criteria]
