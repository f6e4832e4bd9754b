"""One include for each stage, in the order of the flow."""

from django.contrib import admin
from django.urls import include, path

from annotator import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.prometheus, name="metrics"),
    path("admin/", admin.site.urls),
    path(
        "api/v1/", include("labeling.api.urls")
    ),  # before the pages: the first that fits answers, and scripts ask most
    path("", include("labeling.people.urls")),
    path("", include("labeling.jobs.urls")),
    path("", include("labeling.corpus.urls")),
    path("", include("labeling.mining.urls")),
    path("", include("labeling.annotation.urls")),
    path("", include("labeling.agreement.urls")),
    path("", include("labeling.consensus.urls")),
    path("", include("labeling.release.urls")),
    path("", include("labeling.study.urls")),
    path("", include("labeling.study.results.urls")),
    path("", include("labeling.study.fieldwork.urls")),
    path("", include("labeling.study.blindness.urls")),
    path("", include("labeling.study.taking.urls")),
    path("", include("labeling.overview.urls")),
]

handler400 = "annotator.errors.bad_request"
handler403 = "annotator.errors.permission_denied"
handler404 = "annotator.errors.not_found"
handler500 = "annotator.errors.server_error"
