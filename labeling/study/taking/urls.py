from django.urls import path

from labeling.study.taking import pages, views

app_name = "taking"
study = "s/<str:code>/"
page = f"{study}page/<str:page>/"
urlpatterns = [
    path(study, views.home, name="home"),
    path(f"{study}link/<str:token>/", views.personal_link, name="personal_link"),
    path(f"{study}open/<str:token>/", views.open_link, name="open_link"),
    path(f"{study}start/", views.begin, name="start"),
    path(f"{study}about-you/", views.background, name="background"),
    path(f"{study}instructions/", views.instructions, name="instructions"),
    path(f"{study}practice/", pages.practice, name="practice"),
    path(page, pages.page, name="page"),
    path(f"{page}answer/", pages.answer, name="answer"),
    path(f"{page}comment/", pages.comment, name="comment"),
    path(f"{page}time/", pages.time, name="time"),
    path(f"{study}end/", views.end, name="end"),
    path(f"{study}thanks/", views.thanks, name="thanks"),
    path(f"{study}leave/", views.leave, name="leave"),
    path(f"{study}mine.json", views.mine, name="mine"),
    path(f"{study}<path:rest>", views.nothing, name="nothing"),
]
