from django.urls import path

from labeling.study.fieldwork import views

app_name = "fieldwork"
study = "projects/<slug:slug>/studies/<int:pk>/"
urlpatterns = [
    path(f"{study}participants/", views.participants, name="participants"),
    path(f"{study}participants/invite/", views.invite, name="invite"),
    path(f"{study}participants/<int:number>/renew/", views.renew, name="renew"),
    path(f"{study}participants/<int:number>/revoke/", views.revoke, name="revoke"),
    path(f"{study}open-link/", views.open_link, name="open_link"),
    path(f"{study}open-link/revoke/", views.revoke_open_link, name="revoke_open_link"),
]
