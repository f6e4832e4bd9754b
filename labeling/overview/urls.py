from django.urls import path

from labeling.overview import views

app_name = "overview"
urlpatterns = [
    path("", views.projects, name="projects"),
    path("projects/<slug:slug>/", views.home, name="home"),
    path("projects/<slug:slug>/activity/export/", views.export_activity, name="export_activity"),
]
