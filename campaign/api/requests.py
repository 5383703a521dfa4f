"""The content of requests that are sent again and again: a judgment, a request for the next HIT."""

from functools import cache
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.serializers import Serializer


def content_validated(serializer: type[Serializer[Any]], content: Any) -> Any:
    """Return what a serializer makes of the content of a request; raises its ValidationError.

    What `serializer(data=content)` validates, for a third: an instance copies all its fields, so one is kept. It holds
    nothing of a request. Errors are said by an instance of their own.
    """
    try:
        return _kept(serializer).run_validation(content)
    except ValidationError:
        own = serializer(data=content)
        own.is_valid(raise_exception=True)
        return own.validated_data


@cache
def _kept(serializer: type[Serializer[Any]]) -> Serializer[Any]:
    return serializer()
