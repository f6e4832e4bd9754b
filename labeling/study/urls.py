from django.urls import path

from labeling.study import calculating, previewing, views

app_name = "study"
project = "projects/<slug:slug>/"
study = f"{project}studies/<int:pk>/"
urlpatterns = [
    path(f"{project}studies/", views.studies, name="studies"),
    path(f"{project}studies/new/", views.new_study, name="new_study"),
    path(f"{project}studies/sample-size/", calculating.sample_size, name="sample_size"),
    path(f"{project}studies/simulator/", calculating.simulator, name="simulator"),
    path(study, views.study, name="study"),
    path(f"{study}design/", views.design, name="design"),
    path(f"{study}texts/", views.texts, name="texts"),
    path(f"{study}material/", views.material, name="material"),
    path(f"{study}leaks/", views.leaks, name="leaks"),
    path(f"{study}plan/", views.plan, name="plan"),
    path(f"{study}preview/", previewing.preview, name="preview"),
    path(f"{study}frozen.json", views.frozen_plan, name="frozen_plan"),
    *[path(f"{study}{act}/", views.change, {"act": act}, name=act) for act in views.ACTS],
]
