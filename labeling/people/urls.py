from django.contrib.auth.views import LogoutView
from django.urls import path
from django.views.decorators.http import require_http_methods

from labeling.people import account, joining, views

visited = require_http_methods(["GET", "HEAD", "POST"])  # Django's own views of forms also take PUT

app_name = "people"
urlpatterns = [
    path("login/", visited(account.Login.as_view()), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("join/<str:token>/", joining.join, name="join"),
    path("theme/", account.theme, name="theme"),
    path("account/", account.account, name="account"),
    path("account/log-out-everywhere/", account.log_out_everywhere, name="log_out_everywhere"),
    path("account/tokens/", account.create_token, name="create_token"),
    path("account/tokens/<int:pk>/revoke/", account.revoke_token, name="revoke_token"),
    path("account/password/", visited(account.PasswordChange.as_view()), name="password_change"),
    path("password/", visited(account.PasswordReset.as_view()), name="password_reset"),
    path("password/sent/", visited(account.PasswordResetSent.as_view()), name="password_reset_sent"),
    path("password/set/<uidb64>/<token>/", visited(account.PasswordSet.as_view()), name="password_set"),
    path("projects/<slug:slug>/members/", views.members, name="members"),
    path("projects/<slug:slug>/members/invite/", views.invite, name="invite"),
    path("projects/<slug:slug>/members/invited/<int:pk>/", views.invited, name="invited"),
    path("projects/<slug:slug>/members/<int:pk>/remove/", views.remove, name="remove"),
    path("projects/<slug:slug>/invitations/<int:pk>/revoke/", views.revoke, name="revoke"),
    path("projects/<slug:slug>/activity/", views.activity, name="activity"),
]
