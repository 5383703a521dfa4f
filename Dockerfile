# One image for web server, workers and beat; docker-compose.yml says which is which.

# The digest decides; the tag before it is for people.
ARG PYTHON=python:3.12.14-slim-bookworm@sha256:782412e85d0f0984994c290652577d4018aff08145c85b262bb63dc0c7522254

FROM ${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
COPY requirements/*.txt /tmp/
# Optional: s3 (for EXPORT_STORAGE, MEDIA_STORAGE), errors (for SENTRY_DSN). docker compose build --build-arg EXTRAS="s3 errors"
ARG EXTRAS=
# Wheels only, each with the hash that was locked: nothing is built, nothing unforeseen comes in.
RUN python -m venv --without-pip /opt/venv && cd /tmp && \
    pip --python /opt/venv install --require-hashes --only-binary=:all: \
    $(printf -- '-r %s.txt ' base numba parquet png metrics $EXTRAS)
WORKDIR /srv/quintet
COPY . .
RUN /opt/venv/bin/python -m compileall -q .
RUN /opt/venv/bin/python -m translations compile
# Settings want these three; collecting files reaches neither service.
RUN SECRET_KEY=build DATABASE_URL=postgresql:///build REDIS_URL=redis://localhost \
    STATIC_ROOT=/srv/static /opt/venv/bin/python manage.py collectstatic \
    --noinput --verbosity=0

FROM ${PYTHON}
# One thread for numerical libraries: rankings are the same bit for bit on any number of cores.
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=config.settings \
    STATIC_ROOT=/srv/static \
    WEB_CONCURRENCY=2 \
    OMP_NUM_THREADS=1 \
    OPENBLAS_NUM_THREADS=1 \
    QUINTET_IMAGE=1
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin quintet \
    && install -d -o quintet -g quintet /var/cache/quintet
COPY --from=build /opt/venv /opt/venv
COPY --from=build /srv/static /srv/static
COPY --from=build /srv/quintet /srv/quintet
WORKDIR /srv/quintet
USER 10001
# Ahead of the first large campaign.
RUN export NUMBA_CACHE_DIR=/var/cache/quintet && \
    python -m ranking.core.compile_kernels && \
    python -c "import annotation.sampling.kernels"
# numba keeps kernels only where it may write, and the root is read-only: /tmp has links to the compiled ones, and those
# that another processor needs.
ENV NUMBA_CACHE_DIR=/tmp/kernels
ENTRYPOINT ["sh", "-c", "cp -rsf /var/cache/quintet/. $NUMBA_CACHE_DIR; exec \"$@\"", "sh"]
# The image has no repository: docker compose build --build-arg CODE_VERSION="$(python3 version.py)"
ARG CODE_VERSION=
ENV QUINTET_CODE_VERSION=$CODE_VERSION
EXPOSE 8000
CMD ["gunicorn", "--config=python:config.gunicorn", "--bind=0.0.0.0:8000"]
