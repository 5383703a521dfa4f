"""Base views of the REST API: who may act on a campaign, input, and responses."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeVar, cast

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.metadata import SimpleMetadata
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.permissions import SAFE_METHODS, BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from campaign.api.contract import IdempotencyMixin, Reads, VersionMixin, Writes
from campaign.api.described import described_operations
from campaign.api.filtering import QueryFilterBackend
from campaign.api.pagination import CursorPages
from campaign.api.requests import (
    StrictJSONParser,
    repeated_parameters_refuse,
    unknown_keys_refuse,
    unknown_parameters_refuse,
)
from campaign.models import Campaign, JudgeGroup, MembershipRole, Task, User
from campaign.pages.filters import DeskFilter
from campaign.services.members import change_demand
from campaign.texts.normalisation import normalise_text

_Model = TypeVar("_Model", bound=Model)


def reader(request: Request) -> User:
    """Return the signed-in user; every view requires one."""
    return cast("User", request.user)


def campaign_of_member(request: Request, slug: str) -> Campaign:
    """Return the campaign with the user's `role` in it; raise a 404 unless the user is a member."""
    campaigns = Campaign.objects.present().with_role_of(reader(request))
    return row_or_404(
        campaigns,
        _("Campaign not found, or you are not a member."),
        slug=slug,
    )


def task_of_member(request: Request, task_id: int) -> Task:
    """Return the task with the user's `role` in its campaign; raise a 404 unless the user is a member."""
    tasks = Task.objects.with_role_of(reader(request)).select_related(
        "test_set__campaign",
    )
    message = "Test set not found, or you are not a member of its campaign."
    return row_or_404(tasks, message, pk=task_id)


def row_or_404(
    rows: QuerySet[_Model],
    message: str | None = None,
    **lookups: Any,
) -> _Model:
    """Return the first of these rows that matches the lookups; raise a 404 with this message if none does."""
    row = rows.filter(**lookups).first()
    if row is None:
        raise NotFound(message)
    return row


def group_by_name(task: Task, name: str | None) -> JudgeGroup | None:
    """Return the group of a test set's campaign by its name, ignoring case; None for all judges.

    Raises `ValidationError` with a plain message.
    """
    if name is None:
        return None
    present = JudgeGroup.objects.present().filter(campaign=task.test_set.campaign_id)
    group = present.filter(name__iexact=normalise_text(name)).first()
    if group is None:
        raise ValidationError(f"Group “{name}” not found in this campaign.")
    return group


class NoFieldsMetadata(SimpleMetadata):
    """Answers OPTIONS without fields, which are in the API description."""

    def determine_actions(self, request: Request, view: Any) -> dict[str, Any]:
        del request, view
        return {}


@contextmanager
def refused_at(field: str, *errors: type[Exception]) -> Iterator[None]:
    """Answer these errors of services with 400, at this field of the request."""
    try:
        yield
    except errors as error:
        raise ValidationError({field: [str(error)]}) from error


class IsMember(BasePermission):
    """Members of the campaign in the address, in any role. For others, it does not exist (404)."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the user has a role in the campaign; raise NotFound if not."""
        del request
        return view.get_role() in MembershipRole


class IsOrganiserOrReadOnly(IsMember):
    """Members of the campaign in the address; those with read-only access may not change it (403)."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the user may send this request; raise NotFound or `NotAllowedError` if not."""
        role = view.get_role()
        if request.method not in SAFE_METHODS:
            change_demand(role)
        return True


class BaseAPIView(GenericAPIView[Any]):
    """View for signed-in users that checks input, and filters, pages and serialises responses.

    It refuses query parameters that the description of the operation does not have, and keys in the body of an
    operation without one; `validated` checks other bodies.

    Attributes
    ----------
    sends_file : bool
        Whether GET sends a file. It is sent whatever `Accept` asks for; only errors are rendered.
    """

    sends_file = False
    permission_classes: Sequence[type[BasePermission]] = [IsAuthenticated]
    filter_backends = [QueryFilterBackend]
    filterset_class: type[DeskFilter] | None = None
    pagination_class: Any = CursorPages
    metadata_class = NoFieldsMetadata
    ordering = "-id"

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Run the checks of DRF, then refuse unknown input."""
        super().initial(request, *args, **kwargs)
        changes = request.method not in SAFE_METHODS
        if request.method != "OPTIONS" and (changes or request.query_params):
            self._unknown_refuse(request)

    def _unknown_refuse(self, request: Request) -> None:
        route = request.resolver_match.route  # type: ignore[union-attr]  # set by the handler
        method = str(request.method)
        if method == "HEAD":
            method = "GET"
        operation = described_operations(route, type(self)).get(method)
        if operation is None:
            return
        if operation.parameters is not None:
            unknown_parameters_refuse(request, operation.parameters)
            repeated_parameters_refuse(request)
        if request.method not in SAFE_METHODS and not operation.takes_body:
            # Any format will do, as there is nothing to send.
            request.parsers = [StrictJSONParser(), FormParser(), MultiPartParser()]
            unknown_keys_refuse(Serializer(), request.data)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Choose a renderer. `?format=` is a parameter of the operation, so it chooses none."""
        is_file = self.sends_file and request.method in ("GET", "HEAD")
        has_format = "format" in request.query_params
        return super().perform_content_negotiation(
            request,
            force or is_file or has_format,
        )

    @property
    def user(self) -> User:
        """The signed-in user."""
        return reader(self.request)

    def get_filterset_kwargs(self) -> dict[str, Any]:
        """Return further arguments of the filter set."""
        return {}

    def validated(
        self,
        serializer_class: type[Serializer[Any]],
        *,
        is_partial: bool | None = None,
    ) -> Any:
        """Return the valid body of the request; fields may be missing if it is partial.

        Parameters
        ----------
        serializer_class : type of Serializer
            Describes the body. Raises `ProblemError` for unknown keys, and ValidationError.
        is_partial : bool, optional
            Whether fields may be missing; by default, in a PATCH.
        """
        if is_partial is None:
            is_partial = self.request.method == "PATCH"
        serializer = serializer_class(
            data=self.request.data,
            partial=is_partial,
            context=self.get_serializer_context(),
        )
        unknown_keys_refuse(serializer, self.request.data)
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    def saved(
        self,
        serializer_class: type[Serializer[Any]],
        instance: Any = None,
    ) -> Any:
        """Create a row from the valid body of the request, or change an instance; return the row."""
        data = self.validated(serializer_class)
        serializer = serializer_class(context=self.get_serializer_context())
        if instance is None:
            return serializer.create(data)
        return serializer.update(instance, data)

    def page_rows(self, page: Any) -> Any:
        """Return the rows of a page in the form that the serializer expects."""
        return page

    def paginated(self, rows: Any, serializer_class: type[Serializer[Any]]) -> Response:
        """Return the response with a page of these rows."""
        page = self.page_rows(self.paginate_queryset(rows))
        data = serializer_class(
            page,
            many=True,
            context=self.get_serializer_context(),
        ).data
        return self.get_paginated_response(data)

    def serialized(
        self,
        instance: Any,
        serializer_class: type[Serializer[Any]],
        *,
        status: int = 200,
        many: bool = False,
    ) -> Response:
        """Return the response with an instance, or all of several."""
        context = self.get_serializer_context()
        return Response(
            serializer_class(instance, many=many, context=context).data,
            status=status,
        )


class ResearchAPIView(IdempotencyMixin, VersionMixin, BaseAPIView):
    """View of the research API."""

    throttle_classes = (Reads, Writes)


class TaskMixin(APIView):
    """Mixin of views below a task, for the members of its campaign."""

    permission_classes: Sequence[type[BasePermission]] = [
        IsAuthenticated,
        IsOrganiserOrReadOnly,
    ]

    @cached_property
    def task(self) -> Task:
        """The task in the address, with the user's `role` in its campaign. Raises NotFound."""
        return task_of_member(self.request, self.kwargs["task_id"])

    def get_role(self) -> str:
        """Return the user's role in the campaign of the task; raise NotFound if there is none."""
        return str(self.task.role)  # type: ignore[attr-defined]  # annotated by the query


class CampaignAPIView(ResearchAPIView):
    """View of the research API below a campaign, for its members."""

    permission_classes: Sequence[type[BasePermission]] = [
        IsAuthenticated,
        IsOrganiserOrReadOnly,
    ]

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign in the address, with the user's `role` in it. Raises NotFound."""
        return campaign_of_member(self.request, self.kwargs["slug"])

    def get_role(self) -> str:
        """Return the user's role in the campaign; raise NotFound if there is none."""
        return str(self.campaign.role)  # type: ignore[attr-defined]  # annotated by the query


class TaskAPIView(TaskMixin, ResearchAPIView):
    """View of the research API below a task."""
