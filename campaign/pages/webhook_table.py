"""The table of what was sent to a webhook."""

from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy

from campaign.models import WebhookDelivery, WebhookEndpoint
from campaign.pages.rights import rights
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn


class DeliveryTable(DeskTable):
    """Rows of `WebhookDelivery`, the newest first."""

    event = SortedColumn(gettext_lazy("Event"), by="event", then="-pk")
    state = SortedColumn(gettext_lazy("State"), by="state", then="-pk")
    attempts = SortedColumn(gettext_lazy("Attempts"), by="attempts", then="-pk", kind="number")
    answer = SortedColumn(gettext_lazy("Response"), by="answer_code", then="-pk")
    created = SortedColumn(gettext_lazy("Created"), by="created_at", then="-pk")
    next_attempt = SortedColumn(gettext_lazy("Next attempt"), by="next_attempt_at", then="-pk")
    actions = PlainColumn(gettext_lazy("Actions"), by="pk", kind="wide")

    caption = gettext_lazy("Messages")

    def __init__(
        self,
        rows: "QuerySet[WebhookDelivery]",
        *,
        endpoint: WebhookEndpoint,
        request: HttpRequest,
    ) -> None:
        reads_only = not rights(request)["may_change"]
        super().__init__(rows, exclude=("actions",) if reads_only else ())
        self._endpoint, self._request = endpoint, request

    def cell_event(self, row: WebhookDelivery) -> SafeString:
        return format_html(
            '<code>{}</code><br><code class="quiet">msg_{}</code>', row.event, row.message_id.hex
        )

    def cell_state(self, row: WebhookDelivery) -> str:
        return str(row.get_state_display())

    def cell_attempts(self, row: WebhookDelivery) -> str:
        return str(row.attempts)

    def cell_answer(self, row: WebhookDelivery) -> str:
        return str(row.answer_code or row.error or "–")

    def cell_created(self, row: WebhookDelivery) -> str:
        return date_format(localtime(row.created_at), "DATETIME_FORMAT")

    def cell_next_attempt(self, row: WebhookDelivery) -> str:
        if row.next_attempt_at is None or not self._endpoint.is_on:
            return "–"
        return date_format(localtime(row.next_attempt_at), "DATETIME_FORMAT")

    def cell_actions(self, row: WebhookDelivery) -> SafeString:
        context = {"webhook": self._endpoint, "campaign": self._endpoint.campaign, "delivery": row}
        return render_to_string("organiser/_delivery_actions.html", context, self._request)
