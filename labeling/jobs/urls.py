from django.urls import path

from labeling.jobs import views

app_name = "jobs"
urlpatterns = [
    path("projects/<slug:slug>/jobs/", views.jobs, name="jobs"),
    path("projects/<slug:slug>/jobs/<int:pk>/", views.job, name="job"),
    path("projects/<slug:slug>/jobs/<int:pk>/cancel/", views.cancel, name="cancel"),
    path("projects/<slug:slug>/jobs/<int:pk>/retry/", views.retry, name="retry"),
    path("projects/<slug:slug>/jobs/<int:pk>/file/", views.file, name="file"),
]
