"""Operations of the research API: described, admitted, validated and answered in one place."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from typing import Any, Final

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.metadata import SimpleMetadata
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ListSerializer

from campaign.api.access import (
    joined_campaign,
    organised_campaign,
    organised_task,
    readable_task,
    reader,
)
from campaign.api.filters import filter_parameters, filtered
from campaign.api.pages import CursorPages
from campaign.models import Campaign, Task, User
from campaign.pages.filters import DeskFilter


class _NamesAlone(SimpleMetadata):
    """Answers OPTIONS without fields, which are in the API description."""

    def determine_actions(self, request: Request, view: Any) -> dict[str, Any]:
        del request, view
        return {}


#: Parameters in addresses, and the attribute that looks up the object, for members of its campaign only.
_ADMITTING: Final = {"slug": "campaign", "task_id": "task"}


class Address(GenericAPIView[Any]):
    """An address of the research API, below a campaign or a task; its methods are operations.

    Attributes
    ----------
    takes : type of Serializer, or None
        Reads the content of the request.
    is_for_readers : bool
        True if members with read-only access may request it, although it is a POST.
    is_partial : bool
        False if nested objects in a PATCH must be complete; its own fields are optional.
    """

    pagination_class: Any = CursorPages
    metadata_class = _NamesAlone
    ordering = "-id"
    takes: Any = None
    is_for_readers = False
    is_partial = True

    @property
    def user(self) -> User:
        """The signed-in user."""
        return reader(self.request)

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign in the address. Raises NotFound for users who are not members, and PermissionDenied."""
        find = joined_campaign if self.is_for_readers else organised_campaign
        return find(self.request, self.kwargs["slug"])

    @cached_property
    def task(self) -> Task:
        """The task in the address. Raises as above."""
        find = readable_task if self.is_for_readers else organised_task
        return find(self.request, self.kwargs["task_id"])

    @cached_property
    def sent(self) -> Any:
        """The valid content of the request; omitted fields of a PATCH are missing. Raises ValidationError."""
        content = self.takes(
            data=self.request.data,
            partial=self.is_partial and self.request.method == "PATCH",
            context=self.get_serializer_context(),
        )
        content.is_valid(raise_exception=True)
        return content.validated_data

    def rows(self, page: Any) -> Any:
        """Return the rows of a page in the form that the serializer expects."""
        return page

    def answer(self, found: Any, serializer: Any, status: int) -> Response:
        """Return the response with the result of an operation; a list is paged."""
        context = self.get_serializer_context()
        if serializer is None:
            return Response(status=status)
        if not isinstance(serializer, ListSerializer):
            return Response(serializer(found, context=context).data, status=status)
        is_paged = self.request.method in SAFE_METHODS
        rows = self.rows(self.paginate_queryset(found)) if is_paged else found
        each: Any = type(serializer.child)
        data = each(rows, many=True, context=context).data
        return self.get_paginated_response(data) if is_paged else Response(data, status=status)


def operation(
    name: str,
    answers: Any = None,
    *,
    takes: Any = None,
    filters: type[DeskFilter] | None = None,
    parameters: Sequence[Any] = (),
    for_readers: bool = False,
    refusals: Mapping[type[Exception], str] | None = None,
    **described: Any,
) -> Callable[[Callable[..., Any]], Callable[..., HttpResponseBase]]:
    """Turn a method of an `Address` into the operation with this name.

    The method receives the other parameters in the address, and returns the object for the first serializer in
    `answers`, or a response.

    Parameters
    ----------
    name : str
        Stable id in the description: clients are generated with it.
    answers : serializer, or dict of them by status
        None: an empty response with 204.
    takes : type of Serializer, optional
        Reads `sent`; or a description of bytes by their type, which the method reads.
    filters : type of DeskFilter, optional
        Parameters that select from the rows which the method returns.
    parameters : sequence of OpenApiParameter and types of Serializer
        Further parameters, which the method reads.
    for_readers : bool
        Whether members with read-only access may request it, although it is a POST.
    refusals : dict of str by type of exception, optional
        Errors of services, answered with 400 at this field.
    **described
        Further arguments of `extend_schema`, such as `examples`.
    """
    by_status = answers if isinstance(answers, dict) else {204 if answers is None else 200: answers}
    status, serializer = next(iter(by_status.items()))
    fields = refusals or {}
    asked = [*parameters, *(filter_parameters(filters) if filters else ())]

    def decorate(act: Callable[..., Any]) -> Callable[..., HttpResponseBase]:
        @extend_schema(name, asked, takes, by_status, **described)
        @wraps(act)
        def handle(view: Address, request: Request, **named: Any) -> HttpResponseBase:
            view.takes, view.is_for_readers = takes, for_readers
            for part in _ADMITTING.keys() & named.keys():
                del named[part]
                getattr(view, _ADMITTING[part])
            try:
                found = act(view, **named)
            except tuple(fields) as error:
                field = next(field for kind, field in fields.items() if isinstance(error, kind))
                raise ValidationError({field: [str(error)]}) from error
            if isinstance(found, HttpResponseBase):
                return found
            if filters is not None:
                found = filtered(filters, request, found)
            return view.answer(found, serializer, status)

        handle.takes = takes  # type: ignore[attr-defined]  # for the contract
        return handle

    return decorate
