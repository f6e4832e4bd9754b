from django.urls import path

from labeling.consensus import coordinating_views, queue_views, views
from labeling.consensus.acts import ACTS

app_name = "consensus"
project = "projects/<slug:slug>/"
here = f"{project}cases/"
case = f"{here}<int:pk>/"
urlpatterns = [
    path(here, queue_views.cases, name="cases"),
    path(f"{here}alike/", queue_views.bulk, name="bulk"),
    path(f"{here}meeting/", queue_views.start_meeting, name="start_meeting"),
    path(f"{here}overview/", coordinating_views.overview, name="overview"),
    path(f"{here}mine/", coordinating_views.look_back, name="look_back"),
    path(f"{project}rounds/<int:pk>/rule/", coordinating_views.rule, name="rule"),
    path(case, views.case, name="case"),
    path(f"{case}meeting/", views.meeting, name="meeting"),
    path(f"{case}live/", views.live, name="live"),
    path(f"{case}class/", views.surroundings, name="surroundings"),
    path(f"{case}sitting/", views.sitting, name="sitting"),
    path(f"{case}messages/<int:message_pk>/", views.message, name="message"),
    *[path(f"{case}{name}/", views.act, {"act": name}, name=name) for name in ACTS],
]
