"""Types of the columns of exports."""

import pytest
from rest_framework import serializers

from ranking.export.rows import columns_of


class RowSerializer(serializers.Serializer[object]):
    number = serializers.IntegerField()
    rate = serializers.FloatField()
    is_current = serializers.BooleanField()


class PausedSerializer(RowSerializer):
    pause = serializers.DurationField()


def test_columns_have_the_types_of_the_fields_of_rest() -> None:
    columns = columns_of(RowSerializer())
    assert columns == {"number": int, "rate": float, "is_current": bool}


def test_field_of_a_class_without_a_type_is_refused() -> None:
    with pytest.raises(TypeError, match=r"pause \(DurationField\)"):
        columns_of(PausedSerializer())
