"""For operators: accounts can be changed here, everything else only read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from labeling.models import Activity, Project, User

admin.site.site_header = admin.site.site_title = "Concord"
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(admin.ModelAdmin[User]):
    list_display = ["email", "name", "is_active", "can_create_projects", "last_login"]
    search_fields = ["email", "name"]
    fields = ["email", "name", "is_active", "can_create_projects", "is_staff", "is_superuser", "last_login"]
    readonly_fields = ["last_login"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # what a person did stays; deactivate the account instead


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    list_display = ["name", "slug", "created_at", "archived_at"]
    search_fields = ["name", "slug"]


@admin.register(Activity)
class ActivityAdmin(ReadOnlyAdmin):
    list_display = ["at", "project", "actor", "verb", "subject"]
    list_filter = ["project"]
