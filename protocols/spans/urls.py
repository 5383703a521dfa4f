from django.urls import path

from protocols.spans.views import error_scheme_page, errors_page, suggestions_page

urlpatterns = [
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/error-scheme/",
        error_scheme_page,
        name="error-scheme",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/errors/",
        errors_page,
        name="errors",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/suggestions/",
        suggestions_page,
        name="suggestions",
    ),
]
