from django.urls import path

from labeling.annotation.protocols import edit_views, views as protocols

app_name = "annotation"
project = "projects/<slug:slug>/"
protocol = f"{project}protocols/<int:pk>/"
urlpatterns = [
    path(f"{project}protocols/", protocols.protocols, name="protocols"),
    path(f"{project}protocols/new/", protocols.new_protocol, name="new_protocol"),
    path(protocol, protocols.protocol, name="protocol"),
    path(f"{protocol}versions/<int:number>/", protocols.protocol, name="protocol_version"),
    path(f"{protocol}edit/", edit_views.edit_protocol, name="edit_protocol"),
    path(f"{protocol}export/", protocols.export_protocol, name="export_protocol"),
    path(f"{protocol}versions/<int:number>/export/", protocols.export_protocol, name="export_version"),
    path(f"{protocol}keys/", protocols.own_keys, name="own_keys"),
]
