from django.urls import path

from labeling.agreement import views

app_name = "agreement"
here = "projects/<slug:slug>/agreement/"
urlpatterns = [
    path(here, views.agreement, name="agreement"),
    path(f"{here}export/", views.export, name="export"),
    path(f"{here}questions/", views.questions, name="questions"),
    path(f"{here}charts/<slug:name>.<slug:form>", views.chart, name="chart"),
    path(f"{here}pairs/", views.pair, name="pair"),
    path(f"{here}items/", views.items, name="items"),
]
