"""The least a request of a judge can cost: an empty view that knows who asks and commits one row.

Served by the same gunicorn with the same middleware, on the same connections, as
`tests.benchmarks.floor:application`.
"""

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.http import HttpRequest, HttpResponseForbidden, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt
def floor(request: HttpRequest) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return HttpResponseForbidden()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO benchmark_floor (judge) VALUES (%s)",
            [request.user.pk],
        )
    return JsonResponse({})


settings.ROOT_URLCONF = __name__
application = get_wsgi_application()
urlpatterns = [path("floor/", floor), path("", include("config.urls"))]
