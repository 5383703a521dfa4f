"""Frame of REST operations: who may act, filters, pages, and the view of an address."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from typing import Any, Final, TypeVar, cast

from django.db.models import Model, QuerySet
from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from django_filters import ChoiceFilter, DateFilter, ModelChoiceFilter, NumberFilter
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.metadata import SimpleMetadata
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ListSerializer
from rest_framework.views import APIView

from campaign.models import Campaign, JudgeGroup, Task, User
from campaign.pages.filters import DeskFilter
from campaign.services.members import change_demand

_Model = TypeVar("_Model", bound=Model)


def reader(request: Request) -> User:
    """Return the signed-in user; every view requires one."""
    return cast("User", request.user)


def readable_task(request: Request, task_id: int) -> Task:
    """Return the task if the user is a member of its campaign; else raise a 404."""
    mine = Task.objects.with_role_of(reader(request)).select_related("test_set__campaign")
    said = "Test set not found, or you are not a member of its campaign."
    return row_found(mine, said, pk=task_id)


def organised_task(request: Request, task_id: int) -> Task:
    """Return the task as above; a change requested by a member with read-only access gets a 403."""
    task: Any = readable_task(request, task_id)
    _admit(request, task.role)
    return cast("Task", task)


def organised_campaign(request: Request, slug: str) -> Campaign:
    """Return the campaign if the user is a member of it."""
    campaign: Any = joined_campaign(request, slug)
    _admit(request, campaign.role)
    return cast("Campaign", campaign)


def joined_campaign(request: Request, slug: str) -> Campaign:
    """Return the campaign if the user is a member, in any role, for a member's own settings."""
    mine = Campaign.objects.kept().with_role_of(reader(request))
    return row_found(mine, _("Campaign not found, or you are not a member."), slug=slug)


def _admit(request: Request, role: str) -> None:
    if request.method not in SAFE_METHODS:
        change_demand(role)


def row_found(rows: QuerySet[_Model], said: str | None = None, **named: Any) -> _Model:
    """Return the first of these rows that matches the lookups; raise a 404 with this message if none does."""
    row = rows.filter(**named).first()
    if row is None:
        raise NotFound(said)
    return row


def group_asked_for(task: Task, name: str | None) -> JudgeGroup | None:
    """Return the group of a test set's campaign by its name, ignoring case; None for all judges.

    Raises `ValidationError` with a plain message.
    """
    if name is None:
        return None
    present = JudgeGroup.objects.present().filter(campaign=task.test_set.campaign_id)
    group = present.filter(name__iexact=name).first()
    if group is None:
        raise ValidationError(f"Group “{name}” not found in this campaign.")
    return group


def filter_parameters(filters: type[DeskFilter]) -> list[OpenApiParameter]:
    """Return the query parameters of an address for its API description."""
    return [_parameter(name, each) for name, each in filters.base_filters.items()]


def _parameter(name: str, each: Any) -> OpenApiParameter:
    choices = [value for value, _words in each.extra["choices"]] if _is_choice(each) else None
    return OpenApiParameter(
        name,
        _kind(each),
        description=str(each.extra.get("help_text") or each.label or ""),
        enum=choices,
    )


def _is_choice(each: Any) -> bool:
    return isinstance(each, ChoiceFilter) and not isinstance(each, ModelChoiceFilter)


def _kind(each: Any) -> type | dict[str, Any]:
    """Return the type of a form's values, as far as a description can express it."""
    if isinstance(each, ModelChoiceFilter):
        return int
    if isinstance(each, NumberFilter):
        return _number(each.extra)
    if isinstance(each, DateFilter):
        return {"type": "string", "format": "date"}
    longest = each.extra.get("max_length")
    return {"type": "string", "maxLength": longest} if longest else str


def _number(extra: dict[str, Any]) -> dict[str, Any]:
    is_whole = extra.get("decimal_places") == 0
    most = 10 ** extra["max_digits"] - 1 if is_whole and "max_digits" in extra else None
    bounds = {"minimum": extra.get("min_value"), "maximum": extra.get("max_value", most)}
    described = {name: value for name, value in bounds.items() if value is not None}
    return {"type": "integer" if is_whole else "number", **described}


def filtered(
    filters: type[DeskFilter], request: Request, queryset: QuerySet[Any, Any], **options: Any
) -> QuerySet[Any, Any]:
    """Return the rows that the address asks for; 400 with the errors of each invalid parameter."""
    asked = filters.of(request, queryset, **options)
    if not asked.form.is_valid():
        raise ValidationError(dict(asked.form.errors))
    return asked.found


_Row = TypeVar("_Row")
#: More digits than any page size has.
_DIGITS: Final = 9


class CursorPages(CursorPagination):
    """Cursor pages, ordered by the view's `ordering`: a unique field."""

    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000
    cursor_query_description = "Page cursor, taken from `next` or `previous`."
    page_size_query_description = "Rows per page: 100 by default, at most 1,000."

    def get_page_size(self, request: Any) -> int:
        """Return the requested number of rows; raise 400 unless it is an allowed page size."""
        said = request.query_params.get(self.page_size_query_param, str(self.page_size))
        is_number = said.isascii() and said.isdigit() and len(said) <= _DIGITS
        if not (is_number and 1 <= int(said) <= self.max_page_size):
            raise ValidationError(
                {
                    self.page_size_query_param: [
                        f"Enter a number between 1 and {self.max_page_size}."
                    ]
                }
            )
        return int(said)

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> tuple[str, ...]:
        del request, queryset
        return (getattr(view, "ordering", "id"),)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of a page; links may be null, which REST framework says in the words of OpenAPI 3.0."""
        page: dict[str, Any] = super().get_paginated_response_schema(schema)
        for name in ("next", "previous"):
            page["properties"][name] = {"type": ["string", "null"], "format": "uri"}
        return page

    def paginate_queryset(
        self,
        queryset: QuerySet[Any, _Row] | Sequence[_Row],
        request: Request,
        view: APIView | None = None,
    ) -> list[_Row] | None:
        try:
            return super().paginate_queryset(queryset, request, view)
        except ValueError as error:
            # A forged cursor: it decodes, but holds no value of the field.
            raise NotFound(self.invalid_cursor_message) from error


class RowPages(CursorPages):
    """Cursor pages of rows in memory, in their given order; the view's `row_key` identifies each row.

    A cursor identifies the last row of the previous page. It is refused if that row no longer exists.
    """

    def paginate_queryset(
        self,
        queryset: QuerySet[Any, _Row] | Sequence[_Row],
        request: Request,
        view: Any = None,
    ) -> list[_Row]:
        rows = list(queryset)
        size = self.get_page_size(request)
        keys = [str(view.row_key(row)) for row in rows]
        # The cursor may hold any text, despite DRF's type annotations.
        cursor: Any = self.decode_cursor(request)
        start = 0
        if cursor is not None and cursor.position is not None:
            if cursor.position not in keys:
                raise NotFound(self.invalid_cursor_message)
            there = keys.index(cursor.position)
            start, size = (
                (max(0, there - size), min(there, size)) if cursor.reverse else (there + 1, size)
            )
        end = min(start + size, len(rows))
        self.base_url = request.build_absolute_uri()
        self._before = keys[start] if 0 < start < len(rows) else None
        self._after = keys[end - 1] if 0 < end < len(rows) else None
        return rows[start:end]

    def get_next_link(self) -> str | None:
        """Return the address of the next page; None on the last page."""
        return self._link(self._after, is_reverse=False)

    def get_previous_link(self) -> str | None:
        """Return the address of the previous page; None on the first page."""
        return self._link(self._before, is_reverse=True)

    def _link(self, key: str | None, *, is_reverse: bool) -> str | None:
        if key is None:
            return None
        cursor: Any = Cursor
        link: str = self.encode_cursor(cursor(offset=0, reverse=is_reverse, position=key))
        return link


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
    # The status of a file comes with its content type.
    sends_file = any(isinstance(key, tuple) for key in by_status)
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

        # For the contract.
        handle.takes = takes  # type: ignore[attr-defined]
        handle.sends_file = sends_file  # type: ignore[attr-defined]
        return handle

    return decorate
