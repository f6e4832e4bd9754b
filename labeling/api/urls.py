from django.urls import path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import AllowAny

from labeling.api import agreement, annotation, items, mining, protocols, rounds, studies, views
from labeling.api.docs import docs

app_name = "api"
project = "projects/<slug:slug>/"
study = f"{project}studies/<int:pk>/"
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
    path(f"{project}next/", annotation.Next.as_view(), name="next"),
    path(f"{project}my-rounds/", annotation.MyRounds.as_view(), name="my_rounds"),
    path("assignments/<assignment:pk>/vote/", annotation.CastVote.as_view(), name="vote"),
    path("assignments/<assignment:pk>/skip/", annotation.SkipItem.as_view(), name="skip"),
    path("assignments/<assignment:pk>/draft/", annotation.DraftOfItem.as_view(), name="draft"),
    path(f"{project}rounds/", rounds.Rounds.as_view(), name="rounds"),
    path(f"{project}rounds/<int:pk>/status/", rounds.RoundStatus.as_view(), name="round_status"),
    path(f"{project}rounds/<int:pk>/items/", rounds.RoundItems.as_view(), name="round_items"),
    path(f"{project}rounds/<int:pk>/close/", rounds.CloseRound.as_view(), name="close_round"),
    path(f"{project}rounds/<int:pk>/reopen/", rounds.ReopenRound.as_view(), name="reopen_round"),
    path(f"{project}rounds/<int:pk>/top-up/", rounds.TopUpRound.as_view(), name="top_up_round"),
    path(f"{project}rounds/<int:pk>/version/", rounds.UseVersion.as_view(), name="use_version"),
    path(f"{project}rounds/<int:pk>/ask-again/", rounds.AskAgain.as_view(), name="ask_again"),
    path(f"{project}rounds/<int:pk>/return/", rounds.ReturnItems.as_view(), name="return_items"),
    path(f"{project}rounds/<int:pk>/raters/", rounds.AddRater.as_view(), name="add_rater"),
    path(f"{project}rounds/<int:pk>/raters/remove/", rounds.RemoveRater.as_view(), name="remove_rater"),
    path(f"{project}agreement/", agreement.Agreement.as_view(), name="agreement"),
    path(f"{project}agreement/export/", agreement.AgreementExport.as_view(), name="export_agreement"),
    path(f"{study}participants/", studies.Participants.as_view(), name="participants"),
    path(f"{study}participants/<int:number>/renew/", studies.RenewLink.as_view(), name="renew_link"),
    path(f"{study}participants/<int:number>/revoke/", studies.RevokeLink.as_view(), name="revoke_link"),
    path(f"{study}open-link/", studies.OpenLinkCall.as_view(), name="open_link"),
    path(f"{study}open-link/revoke/", studies.RevokeOpenLink.as_view(), name="revoke_open_link"),
    path(f"{study}attack/", studies.Attack.as_view(), name="attack"),
    path(f"{project}activity/", views.ActivityLog.as_view(), name="activity"),
    path(f"{project}activity/export/", views.ActivityExport.as_view(), name="export_activity"),
    path(f"{project}jobs/", views.Jobs.as_view(), name="jobs"),
    path(f"{project}jobs/<int:pk>/", views.JobDetail.as_view(), name="job"),
    path(f"{project}jobs/<int:pk>/cancel/", views.CancelJob.as_view(), name="cancel_job"),
    path(f"{project}jobs/<int:pk>/retry/", views.RetryJob.as_view(), name="retry_job"),
    path(f"{project}jobs/<int:pk>/file/", views.JobFile.as_view(), name="job_file"),
]
