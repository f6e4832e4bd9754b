# The image of the services web, worker and migrate: docker-compose.yml says how they run, docs/operations.md how to deploy.

FROM python:3.12-slim-bookworm AS packages
RUN python -m venv /opt/venv
COPY requirements.txt ./
# Wheels only: without a compiler here, a package that has none should say so at once.
RUN /opt/venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check \
    --require-hashes --only-binary :all: --requirement requirements.txt

FROM python:3.12-slim-bookworm
# An empty volume takes over the owner of the folder that it is mounted on.
RUN groupadd --gid 10001 annotator \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin annotator \
    && install --directory --owner=10001 --group=10001 /var/lib/annotator
COPY --from=packages /opt/venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    VAR_DIR=/var/lib/annotator \
    HOST=0.0.0.0
WORKDIR /app
COPY manage.py requirements.txt ./
COPY annotator annotator/
COPY labeling labeling/
COPY templates templates/
COPY static static/
RUN python -m compileall -q manage.py annotator labeling
USER 10001:10001
# Static files are collected into the volume by the service migrate: what the image held there, the volume would hide.
VOLUME /var/lib/annotator
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["python", "-m", "gunicorn", "-c", "python:annotator.gunicorn"]
