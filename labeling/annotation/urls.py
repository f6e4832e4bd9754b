from django.urls import path

from labeling.annotation.judging import views as judging
from labeling.annotation.protocols import edit_views, views as protocols
from labeling.annotation.rounds import views as rounds

app_name = "annotation"
project = "projects/<slug:slug>/"
protocol = f"{project}protocols/<int:pk>/"
round = f"{project}rounds/<int:pk>/"
assignment = f"{project}judge/<assignment:pk>/"
urlpatterns = [
    path(f"{project}protocols/", protocols.protocols, name="protocols"),
    path(f"{project}protocols/new/", protocols.new_protocol, name="new_protocol"),
    path(protocol, protocols.protocol, name="protocol"),
    path(f"{protocol}versions/<int:number>/", protocols.protocol, name="protocol_version"),
    path(f"{protocol}edit/", edit_views.edit_protocol, name="edit_protocol"),
    path(f"{protocol}export/", protocols.export_protocol, name="export_protocol"),
    path(f"{protocol}versions/<int:number>/export/", protocols.export_protocol, name="export_version"),
    path(f"{protocol}keys/", protocols.own_keys, name="own_keys"),
    path(f"{project}rounds/", rounds.rounds, name="rounds"),
    path(f"{project}rounds/new/", rounds.new_round, name="new_round"),
    path(round, rounds.round_page, name="round"),
    path(f"{round}items/", rounds.round_items, name="round_items"),
    path(f"{round}raters/<int:rater_pk>/reminder/", rounds.reminder, name="reminder"),
    *[path(f"{round}{act}/", rounds.change, {"act": act}, name=act) for act in rounds.ACTS],
    path(f"{project}work/", judging.work, name="work"),
    path(f"{project}judge/", judging.judge, name="judge"),
    path(assignment, judging.assignment, name="assignment"),
    path(f"{assignment}ahead/", judging.ahead, name="ahead"),
    path(f"{assignment}draft/", judging.draft, name="draft"),
    path(f"{assignment}skip/", judging.skip, name="skip"),
    path(f"{assignment}back/", judging.back, name="back"),
    path(f"{assignment}class/", judging.surroundings, name="surroundings"),
]
