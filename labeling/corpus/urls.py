from django.urls import path

from labeling.corpus import views

app_name = "corpus"
urlpatterns = [
    path("projects/new/", views.new, name="new"),
    path("projects/<slug:slug>/settings/", views.settings, name="settings"),
    path("projects/<slug:slug>/archive/", views.archive, name="archive"),
    path("projects/<slug:slug>/restore/", views.restore, name="restore"),
]
