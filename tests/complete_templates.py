"""Fail for undefined names in templates, which Django silently renders as empty."""

import inspect

from django.template.base import FilterExpression, Variable
from django.template.context import Context


class NothingThereError(LookupError):
    """A template uses a name missing in its context."""


class Refused(str):
    """`string_if_invalid` that raises for undefined names, and renders None as empty.

    Of `job.asked_by.name`, `asked_by` may be None. Django puts it, too, in the place of a row that another has not
    (`{% if reply.taken_back_by %}`), where it is false.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        return frame.f_back.f_code is FilterExpression.resolve.__code__

    def __mod__(self, variable: object) -> str:
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        context = frame.f_back.f_locals["context"]
        assert isinstance(variable, Variable)
        assert isinstance(context, Context)
        if _is_of_none(variable, context):
            return ""
        template = context.render_context.template or context.template
        name = template.name if template else "A template"
        raise NothingThereError(f"{name} looks up {variable}, which is not there.")


def _is_of_none(variable: Variable, context: Context) -> bool:
    lookups = variable.lookups or ()
    of = [Variable(".".join(lookups[:length])) for length in range(1, len(lookups))]
    return any(each.resolve(context) is None for each in of)
