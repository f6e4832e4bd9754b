from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    """One round only; the app itself, started by a test, can read what this wrote."""

    iterations = 1
