"""Starting, changing and closing a project."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from django.utils.text import slugify

from labeling.corpus.models import Project
from labeling.people.activity import record
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from labeling.refusals import Invalid, Refusal

RESERVED_SLUGS = {"new"}


@transaction.atomic
def create_project(*, name: str, by: User, slug: str = "", description: str = "") -> Project:
    """A project with its creator as coordinator."""
    slug = slug or slugify(name)[:60].strip("-")
    if not slug or slug in RESERVED_SLUGS:
        raise Invalid(f"slug: “{slug or name}” cannot be the address of a project. Give one of letters and digits.")
    project = Project(name=name, slug=slug, description=description, created_by=by)
    try:
        project.full_clean(validate_unique=False, validate_constraints=False)
        with transaction.atomic():
            project.save()
    except ValidationError as error:
        field, sentences = next(iter(error.message_dict.items()))
        raise Invalid(f"{field}: {' '.join(sentences)}") from error
    except IntegrityError as error:
        raise Invalid(f"slug: another project already has the address “{slug}”.") from error
    record(project, by=by, verb="created the project", subject=name)
    add_member(project, user=by, role=Role.COORDINATOR, by=by)
    return project


def lock(project: Project) -> Project:
    """The project as it is now: of two who change it at once the second sees what the first did."""
    wait_in_line(project, "pg_advisory_xact_lock")
    # “No key”: rows that point to the project can be added all the while, so that nobody waits for an import.
    return Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def share(project: Project) -> None:
    """For those who may do so side by side, but not beside one who has the `lock`."""
    wait_in_line(project, "pg_advisory_xact_lock_shared")


def wait_in_line(project: Project, kind: str, *, before: str = "labeling_project") -> None:
    """First come, first served: by locks of rows, those who share would overtake one who waits for all of them to be
    done, for as long as there are any. Where PostgreSQL is not, there is one writer at a time anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {kind}(hashtext(%s), %s::integer)", [before, project.pk])


@transaction.atomic
def change_project(project: Project, *, by: User, name: str, description: str) -> None:
    project = lock(project)
    before = {"name": project.name, "description": project.description}
    after = {"name": name, "description": description}
    changes = {field: [before[field], after[field]] for field in after if before[field] != after[field]}
    if not changes:
        return
    project.name, project.description = name, description
    project.save(update_fields=["name", "description"])
    record(project, by=by, verb="changed the settings", subject=", ".join(changes), changes=changes)


@transaction.atomic
def archive_project(project: Project, *, by: User) -> None:
    """From now on the project can be read but not changed."""
    project = lock(project)
    if project.archived_at:
        raise Refusal(f"{project.name} is archived already.")
    project.archived_at, project.archived_by = timezone.now(), by
    project.save(update_fields=["archived_at", "archived_by"])
    record(project, by=by, verb="archived the project")


@transaction.atomic
def restore_project(project: Project, *, by: User) -> None:
    project = lock(project)
    if not project.archived_at:
        raise Refusal(f"{project.name} is not archived.")
    project.archived_at = project.archived_by = None
    project.save(update_fields=["archived_at", "archived_by"])
    record(project, by=by, verb="restored the project")
