"""Campaigns, their states and members."""

from typing import TYPE_CHECKING, Any, ClassVar, Final

import pgtrigger
from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.personal import KEPT_WITHHELD, PersonalData
from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of, trigger_from_file
from campaign.texts.by_language import text_in_active_language
from campaign.texts.time_zones import NamedZone, named_zone, time_zone_names

if TYPE_CHECKING:
    from campaign.models.user import User


class CampaignState(models.TextChoices):
    """State of a campaign; only an open one lends new work to judges."""

    DRAFT = "draft", pgettext_lazy("campaign", "draft")
    OPEN = "open", pgettext_lazy("campaign", "open")
    PAUSED = "paused", pgettext_lazy("campaign", "paused")
    CLOSED = "closed", pgettext_lazy("campaign", "closed")
    ARCHIVED = "archived", pgettext_lazy("campaign", "archived")
    BIN = "bin", pgettext_lazy("campaign", "in the bin")


class Transition(models.TextChoices):
    """Transition between states of a campaign; the value is the last part of its address."""

    OPEN = "open", _("Open campaign")
    PAUSE = "pause", _("Pause campaign")
    RESUME = "resume", _("Resume")
    CLOSE = "close", _("Close campaign")
    REOPEN = "reopen", _("Reopen campaign")
    ARCHIVE = "archive", _("Archive campaign")
    UNARCHIVE = "unarchive", _("Restore from archive")
    DELETE = "delete", _("Delete campaign")


_S: Final = CampaignState
#: Source states and target state of each transition. A campaign leaves the bin for the state it had before.
TRANSITIONS: Final[dict[Transition, tuple[frozenset[CampaignState], CampaignState]]] = {
    Transition.OPEN: (frozenset({_S.DRAFT}), _S.OPEN),
    Transition.PAUSE: (frozenset({_S.OPEN}), _S.PAUSED),
    Transition.RESUME: (frozenset({_S.PAUSED}), _S.OPEN),
    Transition.CLOSE: (frozenset({_S.OPEN, _S.PAUSED}), _S.CLOSED),
    Transition.REOPEN: (frozenset({_S.CLOSED}), _S.OPEN),
    Transition.ARCHIVE: (frozenset({_S.CLOSED}), _S.ARCHIVED),
    Transition.UNARCHIVE: (frozenset({_S.ARCHIVED}), _S.CLOSED),
    Transition.DELETE: (frozenset(_S) - {_S.BIN}, _S.BIN),
}
#: The transition that reverts each one. An opened campaign cannot become a draft again; deletion is
#: undone in the bin.
UNDOES: Final = {
    Transition.PAUSE: Transition.RESUME,
    Transition.RESUME: Transition.PAUSE,
    Transition.CLOSE: Transition.REOPEN,
    Transition.REOPEN: Transition.CLOSE,
    Transition.ARCHIVE: Transition.UNARCHIVE,
    Transition.UNARCHIVE: Transition.ARCHIVE,
}


def _refusal() -> str:
    pairs = ", ".join(
        sorted(
            f"('{before}', '{after}')"
            for sources, after in TRANSITIONS.values()
            for before in sources
        ),
    )
    return f"""\
IF NOT (OLD.state, NEW.state) IN ({pairs})
    AND NOT (OLD.state = '{_S.BIN}' AND NEW.state = OLD.state_before_bin)
THEN
    RAISE EXCEPTION 'a campaign cannot change from % to %', OLD.state, NEW.state
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'campaign_state_follows';
END IF;
NEW.state_since = statement_timestamp();
NEW.state_before_bin = CASE WHEN NEW.state = '{_S.BIN}' THEN OLD.state END;
RETURN NEW;
"""


class StateFollows(pgtrigger.Trigger):
    """Refuse a change of state that `TRANSITIONS` lacks, and record when a campaign entered its state."""

    when = pgtrigger.Before
    operation = pgtrigger.UpdateOf("state")  # type: ignore[no-untyped-call]
    condition = pgtrigger.Condition("OLD.state IS DISTINCT FROM NEW.state")
    func = _refusal()


class Judged(models.TextChoices):
    """The type of output that judges judge, with words in every language of Quintet."""

    TRANSLATIONS = "translations", pgettext_lazy("judged", "Translations")
    SUMMARIES = "summaries", pgettext_lazy("judged", "Summaries")
    ANSWERS = "answers", pgettext_lazy("judged", "Answers")
    RECORDINGS = "recordings", pgettext_lazy("judged", "Recordings")


def judged_by_default() -> str:
    """Return what is judged in campaigns that do not say."""
    return Judged.TRANSLATIONS.value


#: Longest word of an organiser for what is judged.
MAX_JUDGED: Final = 60


class CampaignQuerySet(RecordedQuerySet["Campaign"]):
    def with_role_of(
        self,
        user: "User | int | models.Expression",
    ) -> "CampaignQuerySet":
        """Return the campaigns this user is a member of, including those in the bin, each with their `role`."""
        return self.filter(memberships__user=user).annotate(
            role=models.F("memberships__role"),
        )

    def present(self) -> "CampaignQuerySet":
        """Leave out the campaigns in the bin."""
        return self.exclude(state=CampaignState.BIN)

    def real(self) -> "CampaignQuerySet":
        """Leave out rehearsals."""
        return self.filter(rehearsal_of=None)

    def open_to(self, user: "User") -> "CampaignQuerySet":
        """Return the campaigns this user may read, in any role."""
        return self.present().filter(memberships__user=user)


def _line(label: Any, help_text: Any) -> "models.CharField[str, str]":
    """Return a model field for a line of text, which may be empty."""
    return models.CharField(
        label,
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text=help_text,
    )


class Campaign(RecordedModel):
    """One evaluation event, with its organisers, judges and rules."""

    slug = models.SlugField(_("Short name"), max_length=60, unique=True)
    name = models.CharField(_("Name"), max_length=200)
    # A value of `Judged`, or the organiser's own word as `campaign.texts.by_language.TextsJSON`.
    judged = models.JSONField(
        _("Type of output"),
        default=judged_by_default,
        db_default=Judged.TRANSLATIONS.value,
        help_text="`translations`, `summaries`, `answers`, `recordings`, or your own word: a text, or an object with a text by language.",
    )
    allow_partial_ranking = models.BooleanField(
        _("Allow partial ranking"),
        default=False,
        help_text=_(
            "Judges can leave outputs unranked but must rank at least two. Unranked outputs are not "
            "compared. If you switch this off, unsent partial rankings return to the judge; earlier "
            "judgments stay.",
        ),
    )
    blocks_per_judge = models.PositiveIntegerField(
        _("Blocks per judge"),
        null=True,
        blank=True,
        help_text=_(
            "Judges stop after this many blocks, once they finish their current HIT. Leave empty for no limit.",
        ),
    )
    lease_minutes = models.PositiveIntegerField(
        _("HIT lease in minutes"),
        default=60,
        help_text=_(
            "After this time, a HIT can be given to another judge. Late judgments are kept. Applies to new "
            "leases only.",
        ),
    )
    show_source = models.BooleanField(
        _("Show the source"),
        default=True,
        help_text=_(
            "If hidden, neither the source nor its context is sent to judges. Sentences already loaded (at "
            "most two HITs) are not affected.",
        ),
    )
    show_reference = models.BooleanField(
        _("Show the reference"),
        default=True,
        help_text=_(
            "Show the source, the reference, or both. A hidden reference can be ranked as a control; a "
            "visible one is ranked only if you confirm it.",
        ),
    )
    pay = _line(
        _("Pay"),
        _(
            "For example, “€15 an hour of active time” or “voluntary”. Shown to judges before they begin, "
            "along with their measured time.",
        ),
    )
    duration = _line(
        _("Duration"),
        _("For example, “about 40 minutes, any time until 1 May”."),
    )
    contact = _line(
        _("Contact"),
        _("Contact for judges. E-mail addresses become links."),
    )
    time_zone = models.CharField(
        _("Time zone"),
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="IANA name, such as Europe/Prague, in which organisers see and enter times; Etc/GMT+12 is anywhere on Earth. Empty for the server's.",
    )
    questions = models.JSONField(
        _("Questions to judges"),
        default=list,
        db_default=[],
        blank=True,
        help_text="Questions asked of judges before the first or after the last sentence, with their texts by language.",
    )
    created_at = inserted_at()
    # Campaign that this one rehearses with simulated judges.
    rehearsal_of = models.OneToOneField(
        "self",
        models.PROTECT,
        related_name="rehearsal",
        null=True,
        blank=True,
        editable=False,
    )

    # The database refuses transitions that `campaign.models.campaign` does not allow, and sets the two
    # below.
    state = models.CharField(
        _("State"),
        max_length=8,
        choices=CampaignState,
        default=CampaignState.OPEN,
        db_default=CampaignState.OPEN,
    )
    state_since = inserted_at()
    state_before_bin = models.CharField(  # noqa: DJ001  NULL: not in the bin
        max_length=8,
        blank=True,
        null=True,
        editable=False,
    )
    closes_at = models.DateTimeField(
        _("Closes"),
        null=True,
        blank=True,
        help_text="Shown to judges, who receive no more work after that. Leave empty to close it manually.",
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Campaign created"),
        changed=pgettext_lazy("activity", "Campaign changed"),
        deleted=None,
        fields=[
            "slug",
            "name",
            "judged",
            "allow_partial_ranking",
            "blocks_per_judge",
            "lease_minutes",
            "show_source",
            "show_reference",
            "pay",
            "duration",
            "contact",
            "time_zone",
            "questions",
            "state",
            "closes_at",
        ],
        campaign="id",
        called="name",
    )
    objects: ClassVar[CampaignQuerySet] = CampaignQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Campaign")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(lease_minutes__gte=1),
                name="campaign_lease_is_positive",
            ),
            models.CheckConstraint(
                condition=~models.Q(judged="") & ~models.Q(judged={}),
                name="campaign_judged_not_empty",
            ),
            models.CheckConstraint(
                condition=models.Q(blocks_per_judge__gte=1),
                name="campaign_blocks_per_judge_positive",
            ),
            models.CheckConstraint(
                condition=models.Q(show_source=True) | models.Q(show_reference=True),
                name="campaign_shows_source_or_reference",
            ),
            is_one_of("state", CampaignState, name="campaign_state_is_known"),
            models.CheckConstraint(
                condition=models.Q(
                    state=CampaignState.BIN,
                    state_before_bin__isnull=False,
                )
                | (
                    ~models.Q(state=CampaignState.BIN)
                    & models.Q(state_before_bin__isnull=True)
                ),
                name="campaign_state_before_bin_iff_in_bin",
            ),
        ]
        triggers = [
            # Only rehearsals are erased with their judgments (`whole_campaigns.erasing`).
            pgtrigger.Protect(
                name="campaign_rehearsal_immutable",
                operation=pgtrigger.UpdateOf("rehearsal_of_id"),  # type: ignore[no-untyped-call]
                condition=pgtrigger.AnyChange("rehearsal_of"),
            ),
            StateFollows(name="campaign_state_follows"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def judged_label(self) -> str:
        """Type of output, in the active language."""
        if self.judged in Judged.values:
            return str(Judged(self.judged).label)
        return text_in_active_language(self.judged)

    @property
    def zone(self) -> NamedZone:
        """Time zone of the campaign's times; the server's unless the organisers chose one."""
        if self.time_zone in time_zone_names():
            return named_zone(self.time_zone)
        return named_zone(settings.TIME_ZONE)


class MembershipRole(models.TextChoices):
    """Role of a member, from most to fewest rights.

    Every member reads the whole campaign; secrets are shown once, to the member who creates them;
    links for anybody also to those who may change the campaign.
    All other rights are defined below, and nowhere else.
    """

    OWNER = "owner", _("owner")
    ORGANISER = "organiser", _("organiser")
    ANALYST = "analyst", _("analyst")

    @property
    def may_change(self) -> bool:
        """True if members in this role may change the campaign."""
        return self in CHANGING_ROLES

    @property
    def may_own(self) -> bool:
        """True if members in this role may delete and restore the campaign, and manage its members."""
        return self in OWNING_ROLES


CHANGING_ROLES: Final = (MembershipRole.OWNER, MembershipRole.ORGANISER)
OWNING_ROLES: Final = (MembershipRole.OWNER,)


class Membership(RecordedModel):
    """A user's part in running a campaign. Judges are `Judge`s, not members."""

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="memberships",
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="memberships",
        db_index=False,
        verbose_name=_("User"),
    )
    role = models.CharField(_("Role"), max_length=10, choices=MembershipRole)
    # Subscribed to by the member, who must be an organiser.
    daily_alerts = models.BooleanField(
        _("Daily alert e-mail"),
        default=False,
        db_default=False,
    )

    personal: ClassVar = PersonalData(
        person="user",
        fields={
            "campaign": KEPT_WITHHELD,
            "role": KEPT_WITHHELD,
            "daily_alerts": KEPT_WITHHELD,
        },
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Member added"),
        changed=pgettext_lazy("activity", "Member changed"),
        deleted=pgettext_lazy("activity", "Member removed"),
        fields=["user_id", "role", "daily_alerts"],
    )

    class Meta:
        verbose_name = _("Membership")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "campaign"],
                name="membership_once_per_user_and_campaign",
            ),
            is_one_of("role", MembershipRole, name="membership_role_is_known"),
            # Alerts require action, which analysts cannot take.
            models.CheckConstraint(
                condition=models.Q(daily_alerts=False)
                | models.Q(role__in=CHANGING_ROLES),
                name="membership_daily_alerts_need_changing_role",
            ),
        ]
        triggers = [
            # At the commit, so that members may come and go in any order within a transaction.
            trigger_from_file(
                "campaign",
                "membership_leaves_an_owner",
                operation=pgtrigger.Insert
                | pgtrigger.UpdateOf("campaign_id", "role")  # type: ignore[no-untyped-call]
                | pgtrigger.Delete,
                when=pgtrigger.After,
                timing=pgtrigger.Deferred,
                declare=[("changed_campaign", "BIGINT")],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"
