from django.urls import path

from labeling.release import import_views, views

app_name = "release"
releases = "projects/<slug:slug>/releases/"
urlpatterns = [
    path("import-release/", import_views.import_page, name="import"),
    path(releases, views.releases, name="releases"),
    path(f"{releases}new/", views.new, name="new"),
    path(f"{releases}check/", views.check, name="check"),
    path(f"{releases}waive/", views.waive, name="waive"),
    path(f"{releases}withdraw/", views.withdraw, name="withdraw"),
    path(f"{releases}<int:number>/", views.release, name="release"),
    path(f"{releases}<int:number>/download/", views.download, name="download"),
    path(f"{releases}<int:number>/files/<path:name>", views.file, name="file"),
    path(f"{releases}<int:number>/charts/<slug:name>.svg", views.chart, name="chart"),
    path(f"{releases}<int:number>/since/<int:since>/", views.changes, name="changes"),
]
