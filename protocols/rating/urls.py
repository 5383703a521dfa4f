from django.urls import path

from protocols.rating.views import criteria_page

urlpatterns = [
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/criteria/",
        criteria_page,
        name="criteria",
    ),
]
