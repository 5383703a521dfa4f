"""The page of people: organisers come and go, and every link is seen."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client

from campaign.models import (
    Campaign,
    Invitation,
    Judge,
    Membership,
    MembershipRole,
    User,
)
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.members import member_remove
from tests.factories import make_campaign, make_organiser
from tests.integration.credentials.browsers import (
    LISTED,
    OWN,
    PEOPLE,
    by_link,
    by_token,
    words,
)

pytestmark = pytest.mark.django_db


class TestOrganisers:
    @pytest.mark.thorough
    def test_an_organiser_is_added_by_page_and_signs_in_by_the_link(
        self,
        page: Client,
    ) -> None:
        made = page.post(
            PEOPLE,
            {"email": "otto@example.org", "name": "Otto", "role": "organiser"},
        )
        assert made.status_code == 201
        found = re.search(
            r'value="http://testserver(/i/[\w-]{22}/)"',
            made.content.decode(),
        )
        assert found is not None
        otto = Client()
        looked = otto.get(found[1])
        assert "Sign in as organiser" in looked.content.decode()
        assert "_auth_user_id" not in otto.session
        assert otto.post(found[1], follow=True).redirect_chain[0] == (
            "/campaigns/museum/",
            302,
        )
        assert "Otto" in words(otto.get(PEOPLE))
        assert page.post(PEOPLE, {"email": "otto"}).status_code == 400

    def test_removing_one_says_first_what_ends_and_ends_it_at_once(
        self,
        page: Client,
        campaign: Campaign,
    ) -> None:
        otto = make_organiser(campaign, "otto@example.org")
        membership = Membership.objects.get(user=otto)
        made = page.post(f"{PEOPLE}{membership.pk}/link/")
        found = re.search(r"http://testserver(/i/[\w-]{22}/)", made.content.decode())
        assert found is not None
        browser = Client()
        browser.post(found[1])
        notebook = by_token(otto)
        address = f"{PEOPLE}{membership.pk}/remove/"
        assert "1 link, 1 signed-in browser, 1 API token" in words(page.post(address))
        assert browser.get(PEOPLE).status_code == 200
        page.post(address, {"act": "yes"})
        assert browser.get(PEOPLE).status_code == 302
        assert notebook.get(LISTED).status_code == 401
        assert Client().post(found[1]).status_code == 404
        browser.force_login(otto)
        assert browser.get(PEOPLE).status_code == 404

    def test_the_last_owner_stays(self, page: Client, organiser: User) -> None:
        Membership.objects.create(
            campaign=Campaign.objects.get(),
            user=User.objects.create_user(name="Rita", email="rita@example.org"),
            role=MembershipRole.ANALYST,
        )
        membership = Membership.objects.get(user=organiser)
        refused = page.post(
            f"{PEOPLE}{membership.pk}/remove/",
            {"act": "yes"},
            follow=True,
        )
        assert "is the only owner" in words(refused)
        assert Membership.objects.filter(role="owner").count() == 1

    @pytest.mark.parametrize(
        "beyond",
        ["organiser", "analyst", "judge", "administrator"],
    )
    def test_pages_create_no_links_to_accounts_of_others(
        self,
        page: Client,
        campaign: Campaign,
        beyond: str,
    ) -> None:
        victim = User.objects.create_user(name="Vera", email="vera@example.org")
        other = make_campaign("other")
        if beyond == "judge":
            Judge.objects.create(campaign=other, user=victim, pseudonym="vera")
        elif beyond == "administrator":
            User.objects.filter(pk=victim.pk).update(is_staff=True)
        else:
            make_organiser(other, "other@example.org")
            Membership.objects.create(campaign=other, user=victim, role=beyond)
        browser, notebook = Client(), by_token(victim)
        browser.force_login(victim)
        added = page.post(
            PEOPLE,
            {"email": "Vera@example.org", "role": "organiser"},
            follow=True,
        )
        assert "signs in with it" in words(added)
        membership = Membership.objects.get(campaign=campaign, user=victim)
        page.post(f"{PEOPLE}{membership.pk}/link/")
        judge = Judge.objects.create(campaign=campaign, user=victim, pseudonym="vera")
        page.post(f"/campaigns/museum/invitations/judges/{judge.pk}/link/")
        assert not Invitation.objects.exists()
        judge.delete()
        if beyond != "administrator":
            # Added and removed here, they stay signed in there.
            page.post(f"{PEOPLE}{membership.pk}/remove/", {"act": "yes"})
            assert browser.get(OWN).status_code == 200
            assert notebook.get(LISTED).status_code == 200

    @pytest.mark.django_db(transaction=True)
    def test_two_owners_cannot_remove_each_other_at_once(self) -> None:
        campaign = make_campaign()
        for number in range(2):
            make_organiser(campaign, f"organiser{number}@example.org")
        Membership.objects.update(role="owner")
        together = Barrier(2)

        def remove(membership: Membership) -> bool:
            try:
                together.wait()
                member_remove(membership=membership)
            except CredentialRefusedError:
                return False
            finally:
                connection.close()
            return True

        rows = list(Membership.objects.select_related("user"))
        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(remove, rows)) == [False, True]
        assert Membership.objects.count() == 1

    def test_any_link_of_the_campaign_is_listed_withdrawn_and_opened_again(
        self,
        page: Client,
        judge: Judge,
    ) -> None:
        _browser, link = by_link(judge)
        row = Invitation.objects.get()
        assert re.search(
            r"judge01 judge created .* valid until",
            words(page.get(PEOPLE)),
        )
        address = f"/campaigns/museum/invitations/links/{row.pk}/"
        asked = page.post(f"{address}revoke/", {"page": "people"})
        assert "judge01 can no longer sign in with this link." in words(asked)
        assert Client().get(link).status_code == 200
        done = page.post(
            f"{address}revoke/",
            {"page": "people", "act": "yes"},
            follow=True,
        )
        assert Client().get(link).status_code == 404
        assert "Active links None. Recently withdrawn links judge01" in words(done)
        page.post(f"{address}restore/", {"page": "people"})
        assert Client().get(link).status_code == 200
