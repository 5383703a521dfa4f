from django.urls import path

from protocols.quiz.views import snippets_page

urlpatterns = [
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/snippets/",
        snippets_page,
        name="snippets",
    ),
]
