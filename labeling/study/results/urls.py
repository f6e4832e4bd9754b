from django.urls import path

from labeling.study.results import views

app_name = "results"
results = "projects/<slug:slug>/studies/<int:pk>/results/"
urlpatterns = [
    path(results, views.results, name="results"),
    path(f"{results}export/", views.export, name="export"),
    path(f"{results}charts/<slug:name>.<slug:form>", views.chart, name="chart"),
]
