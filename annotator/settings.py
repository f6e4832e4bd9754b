"""All settings. Every environment variable the app knows is read here; docs/configuration.md lists them."""

import os
from datetime import timedelta
from pathlib import Path
from socket import gethostname

import environ

from annotator.environment import (
    Environment,
    broker_url,
    database,
    kept_secret,
    known_level,
    known_origin,
    known_zone,
    made_folder,
    private_redis_url,
    url_host,
)

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()
env.read_env(BASE_DIR / ".env")

# Where we run -------------------------------------------------------------------------------------------------------
DEBUG = env.bool("DEBUG", default=False)
VAR_DIR = Path(made_folder(Path(env.str("VAR_DIR", default=str(BASE_DIR / "var"))).resolve()))
SECRET_KEY = env.str("SECRET_KEY", default="") or kept_secret(VAR_DIR / "secret_key")
HOST = env.str("HOST", default="127.0.0.1")
PORT = env.int("PORT", default=8000)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]", HOST, gethostname()])
LOCAL_URL = f"http://{url_host(HOST)}:{PORT}"
PUBLIC_URL = env.str("PUBLIC_URL", default=LOCAL_URL).rstrip("/")
if PUBLIC_URL != LOCAL_URL:  # of that HOST and PORT say themselves what is wrong
    known_origin("PUBLIC_URL", PUBLIC_URL)
CSRF_TRUSTED_ORIGINS = [
    known_origin("CSRF_TRUSTED_ORIGINS", origin.strip(), wild=True)
    for origin in env.list("CSRF_TRUSTED_ORIGINS", default=[])
]
WEB_PROCESSES = env.count("WEB_PROCESSES", default=2)
WEB_THREADS = env.count("WEB_THREADS", default=2)
WORKER_PROCESSES = env.count("WORKER_PROCESSES", default=2)
DEMO_PASSWORD = env.str("DEMO_PASSWORD", default="")
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
LOG_LEVEL = known_level(env.str("LOG_LEVEL", default="INFO"))

# What we are made of ------------------------------------------------------------------------------------------------
ROOT_URLCONF = "annotator.urls"
WSGI_APPLICATION = "annotator.wsgi.application"
ASGI_APPLICATION = "annotator.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.forms",
    "axes",
    "django_htmx",
    "drf_spectacular",
    "rest_framework",
    "labeling",
]
MIDDLEWARE = [
    "annotator.middleware.RequestLogMiddleware",
    "annotator.middleware.SecurityHeadersMiddleware",
    "annotator.middleware.BodySizeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "annotator.middleware.RefusalMiddleware",
    "axes.middleware.AxesMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
FORM_RENDERER = "annotator.forms.FormRenderer"

# Where things are kept ----------------------------------------------------------------------------------------------
DATABASES = {"default": database(env.str("DATABASE_URL", default=""), var=VAR_DIR)}
REDIS_IS_PRIVATE = not env.str("REDIS_URL", default="")
REDIS_URL = private_redis_url(VAR_DIR) if REDIS_IS_PRIVATE else env.str("REDIS_URL")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "annotator",
        "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 2},
    }
}
MEDIA_ROOT = VAR_DIR / "files"  # never served as such: each download is a view that asks who is there
STATIC_ROOT = VAR_DIR / "static"
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# Long work: the row is the truth, Celery the doorbell -----------------------------------------------------------------
CELERY_BROKER_URL = broker_url(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2, "socket_timeout": 5}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_CONCURRENCY = WORKER_PROCESSES
CELERY_WORKER_MAX_TASKS_PER_CHILD = 1  # each job in a new process: what it took of the memory ends with it
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
JOB_LEASE_SECONDS = env.count("JOB_LEASE_SECONDS", default=30)
JOB_SWEEP_SECONDS = env.count("JOB_SWEEP_SECONDS", default=5)

# Where we mine ------------------------------------------------------------------------------------------------------
GITHUB_API_URL = env.str("GITHUB_API_URL", default="https://api.github.com")
GITHUB_TOKEN = env.str("GITHUB_TOKEN", default="")

# Who comes in -------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "labeling.User"
AUTHENTICATION_BACKENDS = [
    "annotator.limits.Doorkeeper",
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "people:login"
LOGIN_REDIRECT_URL = "overview:projects"
LOGOUT_REDIRECT_URL = "people:login"
PASSWORD_RESET_TIMEOUT = int(timedelta(days=1).total_seconds())
INVITATION_LIFETIME = timedelta(days=14)
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "people/locked_out.html"
AXES_RESET_ON_SUCCESS = True
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "next"]  # the page asked for may be an invitation
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_USERNAME_FORM_FIELD = "username"
AXES_USERNAME_CALLABLE = "labeling.people.forms.claimed_address"
AXES_CLIENT_IP_CALLABLE = "annotator.addresses.client_address"

# What a browser is told ---------------------------------------------------------------------------------------------
PLAIN_HTTP = env.bool("PLAIN_HTTP", default=DEBUG)  # bin/run sets it: there is no TLS on one's own machine
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = not PLAIN_HTTP
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 0 if PLAIN_HTTP else int(timedelta(days=365).total_seconds())
SECURE_HSTS_INCLUDE_SUBDOMAINS = not PLAIN_HTTP
SECURE_HSTS_PRELOAD = not PLAIN_HTTP
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = not PLAIN_HTTP
SESSION_COOKIE_AGE = int(timedelta(days=14).total_seconds())
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "annotator.errors.csrf_failure"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
LARGEST_UPLOAD = env.count("LARGEST_UPLOAD_MB", default=2000) * 1024 * 1024  # of a whole request, files included
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 3000  # the editor of the longest protocol sends about 2,400

# Mail: without a server of yours, messages are written to var/mail ----------------------------------------------------
EMAIL_URL = env.str("EMAIL_URL", default="")
if EMAIL_URL:
    vars().update(environ.Env.email_url_config(EMAIL_URL))
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = VAR_DIR / "mail"
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="annotator@localhost")

# Words and times ----------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = known_zone(env.str("TZ", default="UTC"))

# The API ------------------------------------------------------------------------------------------------------------
API_RATE_ANONYMOUS = env.count("API_RATE_ANONYMOUS", default=60)  # calls a minute
API_RATE_USER = env.count("API_RATE_USER", default=6000)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "labeling.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
        "labeling.api.authentication.Stranger",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "labeling.api.negotiation.JsonNegotiation",
    "DEFAULT_PARSER_CLASSES": ["labeling.api.parsing.JsonParser"],
    "DEFAULT_PAGINATION_CLASS": "labeling.api.pagination.NewestFirst",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": ["labeling.api.throttling.CallerThrottle"],
    "EXCEPTION_HANDLER": "labeling.api.problems.problem_response",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Concord API",
    "DESCRIPTION": "Everything a person can do in the pages, a script can do here.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "AUTHENTICATION_WHITELIST": [  # the third lets nobody in: it counts strangers
        "labeling.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "labeling.api.problems.describe_refusals",
    ],
    "ENUM_NAME_OVERRIDES": {
        "RoleEnum": "labeling.people.models.Role",
        "JobStateEnum": "labeling.jobs.models.State",
        "InvitationStateEnum": "labeling.people.models.INVITATION_STATES",
        "ReleaseStateEnum": "labeling.release.models.ReleaseState",
    },
}

# What we write down -------------------------------------------------------------------------------------------------
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "annotator.logs.JsonFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "level": LOG_LEVEL, "propagate": True},
        "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
        # Django logs the address of a failed request, and ours can hold an invitation; the request log has the route.
        "django.request": {"handlers": [], "level": "ERROR", "propagate": True},
        "django.security": {"handlers": [], "level": "ERROR", "propagate": True},
        "axes": {"level": "ERROR"},
        "httpx": {"level": "WARNING"},  # it would log every address that mining asks
        "gunicorn.error": {"handlers": [], "level": LOG_LEVEL, "propagate": True},
    },
}
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", made_folder(VAR_DIR / "metrics"))
