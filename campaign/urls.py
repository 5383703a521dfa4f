from django.contrib.auth import views as auth_views
from django.urls import path

from campaign.views.bad_references import bad_reference_decide, bad_references
from campaign.views.invitation import invitation
from campaign.views.language import language_choose

_TEST_SET = "campaigns/<slug:slug>/test-sets/<int:test_set_id>/"

urlpatterns = [
    path("language/", language_choose, name="language"),
    path("i/<str:token>/", invitation, name="invitation"),
    path(
        "sign-in/",
        auth_views.LoginView.as_view(
            template_name="registration/sign_in.html", redirect_authenticated_user=True
        ),
        name="sign-in",
    ),
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign-out"),
    path(f"{_TEST_SET}bad-references/", bad_references, name="bad-references"),
    path(
        f"{_TEST_SET}bad-references/<int:bad_reference_id>/",
        bad_reference_decide,
        name="bad-reference-decide",
    ),
]
