from django.urls import path

from labeling.study.blindness import views

app_name = "blindness"
urlpatterns = [path("projects/<slug:slug>/studies/<int:pk>/attack/", views.attack, name="attack")]
