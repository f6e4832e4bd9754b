from django.urls import path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import AllowAny

from labeling.api import items, mining, protocols, views
from labeling.api.docs import docs

app_name = "api"
project = "projects/<slug:slug>/"
urlpatterns = [
    path("", views.Root.as_view(), name="root"),
    path("schema/", SpectacularAPIView.as_view(permission_classes=[AllowAny]), name="schema"),
    path("docs/", docs, name="docs"),
    path("me/", views.Me.as_view(), name="me"),
    path("projects/", views.Projects.as_view(), name="projects"),
    path(project, views.ProjectDetail.as_view(), name="project"),
    path(f"{project}archive/", views.Archive.as_view(), name="archive"),
    path(f"{project}restore/", views.Restore.as_view(), name="restore"),
    path(f"{project}members/", views.Members.as_view(), name="members"),
    path(f"{project}members/<int:pk>/", views.MemberDetail.as_view(), name="member"),
    path(f"{project}invitations/", views.Invitations.as_view(), name="invitations"),
    path(f"{project}invitations/<int:pk>/revoke/", views.RevokeInvitation.as_view(), name="revoke_invitation"),
    path(f"{project}items/", items.Items.as_view(), name="items"),
    path(f"{project}items/<int:pk>/", items.ItemDetail.as_view(), name="item"),
    path(f"{project}items/<int:pk>/comment/", items.PickComment.as_view(), name="pick_comment"),
    path(f"{project}items/export/", items.ItemExport.as_view(), name="export_items"),
    path(f"{project}mining/", mining.Mining.as_view(), name="mining"),
    path(f"{project}mining/retry/", mining.RetryMining.as_view(), name="retry_mining"),
    path(f"{project}protocols/", protocols.Protocols.as_view(), name="protocols"),
    path(f"{project}protocols/<int:pk>/", protocols.ProtocolDetail.as_view(), name="protocol"),
    path(f"{project}protocols/<int:pk>/export/", protocols.ProtocolExport.as_view(), name="export_protocol"),
    path(f"{project}activity/", views.ActivityLog.as_view(), name="activity"),
    path(f"{project}activity/export/", views.ActivityExport.as_view(), name="export_activity"),
    path(f"{project}jobs/", views.Jobs.as_view(), name="jobs"),
    path(f"{project}jobs/<int:pk>/", views.JobDetail.as_view(), name="job"),
    path(f"{project}jobs/<int:pk>/cancel/", views.CancelJob.as_view(), name="cancel_job"),
    path(f"{project}jobs/<int:pk>/retry/", views.RetryJob.as_view(), name="retry_job"),
    path(f"{project}jobs/<int:pk>/file/", views.JobFile.as_view(), name="job_file"),
]
