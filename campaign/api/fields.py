"""Fields of REST that take no more than their description says."""

import math
from typing import Any

from rest_framework import serializers


class NumberField(serializers.FloatField):
    """A finite number; REST framework's own takes true for 1, and “nan” past every limit."""

    def to_internal_value(self, data: Any) -> float:
        """Refuse what is no number in JSON, though Python makes one of it."""
        number = super().to_internal_value(data)
        if isinstance(data, bool) or not math.isfinite(number):
            self.fail("invalid")
        return float(number)
