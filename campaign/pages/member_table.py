"""The table of a campaign's members."""

from collections.abc import Sequence

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy, ngettext

from campaign.models import Campaign, MembershipRole
from campaign.pages.rights import rights
from campaign.pages.tables import DeskTable, PlainColumn
from campaign.selectors.credentials import MemberAccess


class MemberTable(DeskTable):
    """Rows of `MemberAccess`, as they come; the last column holds what the user of the page may do."""

    name = PlainColumn(gettext_lazy("Name"), by="membership")
    email = PlainColumn(gettext_lazy("E-mail address"), by="membership", kind="wide")
    role = PlainColumn(gettext_lazy("Role"), by="membership")
    signed_in = PlainColumn(gettext_lazy("Signed in"), by="membership")
    actions = PlainColumn(gettext_lazy("Actions"), by="membership", kind="wide")

    caption = gettext_lazy("Members")

    def __init__(
        self, rows: Sequence[MemberAccess], *, campaign: Campaign, request: HttpRequest
    ) -> None:
        reads_only = not rights(request)["may_change"]
        super().__init__(rows, exclude=("actions",) if reads_only else ())
        self._campaign, self._request = campaign, request
        self.whole()

    def cell_name(self, row: MemberAccess) -> str:
        return row.membership.user.name

    def cell_email(self, row: MemberAccess) -> str:
        return row.membership.user.email or "–"

    def cell_role(self, row: MemberAccess) -> str:
        return str(row.membership.get_role_display())

    def cell_signed_in(self, row: MemberAccess) -> str:
        """Return how many browsers, tokens and links there are, in words."""
        return " · ".join(
            [
                ngettext(
                    "%(count)d signed-in browser", "%(count)d signed-in browsers", row.browsers
                )
                % {"count": row.browsers},
                ngettext("%(count)d API token", "%(count)d API tokens", row.tokens)
                % {"count": row.tokens},
                ngettext("%(count)d link", "%(count)d links", len(row.links))
                % {"count": len(row.links)},
            ]
        )

    def cell_actions(self, row: MemberAccess) -> SafeString:
        context = {
            "campaign": self._campaign,
            "membership": row.membership,
            "roles": MembershipRole.choices,
        }
        return render_to_string("organiser/_member_actions.html", context, self._request)
