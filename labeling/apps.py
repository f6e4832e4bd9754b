import django_stubs_ext
from django.apps import AppConfig

# Lets us write forms.ModelForm[Project]. Not in the settings: it loads most of Django, and `bin/run` only reads those.
django_stubs_ext.monkeypatch()


class LabelingConfig(AppConfig):
    name = "labeling"
    verbose_name = "Concord"
