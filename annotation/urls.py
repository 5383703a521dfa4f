from django.urls import path

from annotation.views.judge import judge_page

urlpatterns = [
    path("judge/<slug:slug>/", judge_page, name="judge"),
]
