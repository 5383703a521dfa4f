"""`create_token`: said once, kept as a hash."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from campaign.models import ApiToken, User

pytestmark = pytest.mark.django_db


def test_token_opens_the_api_and_only_its_hash_is_kept() -> None:
    user = User.objects.create_user(name="Rosa", email="rosa@example.org")
    out = StringIO()
    call_command("create_token", "Rosa@Example.org", stdout=out)
    token = out.getvalue().strip()
    client = Client(headers={"Authorization": f"Token {token}"})
    assert client.get("/api/v1/campaigns/").status_code == 200
    stored = ApiToken.objects.get(user=user)
    assert stored.expiry is not None
    assert 364 <= (stored.expiry - stored.created_at).days <= 365
    assert token not in str(ApiToken.objects.values().get())
