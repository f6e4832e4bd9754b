from django.db import migrations

# PostgreSQL's trigger of 0009 refuses removal already.
KEPT = """
CREATE TRIGGER release_stays_kept BEFORE DELETE ON labeling_release WHEN OLD.state = 'frozen'
BEGIN SELECT RAISE(ABORT, 'A frozen release is never changed or removed.'); END
"""
UNKEPT = 'DROP TRIGGER release_stays_kept'


def keep(apps, schema_editor):
    if schema_editor.connection.vendor == 'sqlite':
        schema_editor.execute(KEPT)


def let_go(apps, schema_editor):
    if schema_editor.connection.vendor == 'sqlite':
        schema_editor.execute(UNKEPT)


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0010_study'),
    ]

    operations = [migrations.RunPython(keep, let_go)]
