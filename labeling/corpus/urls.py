from django.urls import path

from labeling.corpus import item_views, project_views

app_name = "corpus"
urlpatterns = [
    path("projects/new/", project_views.new, name="new"),
    path("projects/<slug:slug>/settings/", project_views.settings, name="settings"),
    path("projects/<slug:slug>/archive/", project_views.archive, name="archive"),
    path("projects/<slug:slug>/restore/", project_views.restore, name="restore"),
    path("projects/<slug:slug>/items/", item_views.items, name="items"),
    path("projects/<slug:slug>/items/<int:pk>/", item_views.item, name="item"),
    path("projects/<slug:slug>/items/<int:pk>/comment/", item_views.pick, name="pick"),
    path("projects/<slug:slug>/items/<int:pk>/class/", item_views.surroundings, name="surroundings"),
    path("projects/<slug:slug>/items/upload/", item_views.upload, name="upload"),
    path("projects/<slug:slug>/items/upload/<int:pk>/", item_views.import_upload, name="import"),
    path("projects/<slug:slug>/items/export/", item_views.export, name="export"),
]
