from django.contrib.auth import views as auth_views
from django.urls import path

from campaign.views.invitation import invitation

urlpatterns = [
    path("i/<str:token>/", invitation, name="invitation"),
    path(
        "sign-in/",
        auth_views.LoginView.as_view(
            template_name="registration/sign_in.html", redirect_authenticated_user=True
        ),
        name="sign-in",
    ),
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign-out"),
]
