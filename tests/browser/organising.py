"""An organiser at the desk, come by a link."""

from playwright.sync_api import Page

from campaign.models import Campaign, InvitationRole, User
from campaign.services.invitations import invitation_create
from campaign.services.members import organiser_add
from tests.browser.judging import sign_in_by_link


def enter(page: Page, campaign: Campaign) -> User:
    """Sign in by the invitation of a new organiser, who is led to the campaign's overview."""
    user = User.objects.create_user(
        name="Olga",
        email=f"{User.objects.count()}@example.org",
    )
    organiser_add(campaign=campaign, user=user)
    _invitation, token = invitation_create(
        campaign=campaign,
        user=user,
        role=InvitationRole.ORGANISER,
    )
    sign_in_by_link(page, f"/i/{token}/")
    return user


def enter_ranking(page: Page, campaign: Campaign) -> User:
    """Sign in by the invitation of a new organiser, who goes on to the ranking of the first test set."""
    user = enter(page, campaign)
    page.get_by_role("rowheader").get_by_role("link").first.click()
    page.wait_for_url("**/tasks/*/")
    return user
