"""What requests say: the content of those that are sent again and again, and truths in addresses."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.fields import Field
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from campaign.api.body_keys import unknown_keys_refuse


def truth_asked(request: Request, name: str) -> bool:
    """Return whether a parameter of the address is true; false if it is not there, 400 if it is neither."""
    said = request.query_params.get(name, "false")
    truths = {"true": True, "1": True, "false": False, "0": False}
    if said.lower() not in truths:
        raise ValidationError(
            {
                name: [
                    _("“%(given)s” is none of: %(known)s.")
                    % {"given": said, "known": ", ".join(truths)}
                ]
            }
        )
    return truths[said.lower()]


def content_validated(serializer: type[Serializer[Any]], content: Any, place: str = "") -> Any:
    """Return what a serializer makes of the content of a request; raises its ValidationError.

    Keys that it does not name are refused; `place` is where in the request the content is, with a dot at the end.
    """
    sent = serializer(data=content)
    unknown_keys_refuse(_keys(sent), content, place)
    sent.is_valid(raise_exception=True)
    return sent.validated_data


def _keys(field: Field[Any, Any, Any, Any]) -> dict[str, Any]:
    """Return the keys of a field's content, as a description has them."""
    if isinstance(field, Serializer):
        inside = {name: _keys(each) for name, each in field.fields.items()}
        return {"properties": inside, "additionalProperties": False}
    child = getattr(field, "child", None)
    return {} if child is None else {"items": _keys(child)}
