from django.urls import path

from labeling.mining import views

app_name = "mining"
urlpatterns = [
    path("projects/<slug:slug>/mining/", views.mining, name="mining"),
    path("projects/<slug:slug>/mining/start/", views.start, name="start"),
    path("projects/<slug:slug>/mining/github/", views.start_github, name="start_github"),
    path("projects/<slug:slug>/mining/retry/", views.retry, name="retry"),
]
