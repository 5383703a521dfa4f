# One image for web server, workers and beat; docker-compose.yml sets the command of each.

# The digest pins the image; the tag is informational.
ARG PYTHON=python:3.12.14-slim-bookworm@sha256:782412e85d0f0984994c290652577d4018aff08145c85b262bb63dc0c7522254

FROM ${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
COPY requirements/*.txt /tmp/
# Optional: s3 (for EXPORT_STORAGE, MEDIA_STORAGE), errors (for SENTRY_DSN). docker compose build --build-arg EXTRAS="s3 errors"
ARG EXTRAS=
# Install hash-pinned wheels only.
RUN python -m venv --without-pip /opt/venv && cd /tmp && \
    pip --python /opt/venv install --require-hashes --only-binary=:all: \
    $(printf -- '-r %s.txt ' base numba parquet png metrics $EXTRAS)
WORKDIR /srv/quintet
COPY . .
# A clone under umask 077 has files that only root may read, and COPY keeps their modes.
RUN chmod -R a+rX .
RUN /opt/venv/bin/python -m compileall -q .
RUN /opt/venv/bin/python -m translations compile
# Required by the settings; collectstatic connects to neither service.
RUN SECRET_KEY=build DATABASE_URL=postgresql:///build REDIS_URL=redis://localhost \
    STATIC_ROOT=/srv/static /opt/venv/bin/python manage.py collectstatic \
    --noinput --verbosity=0

FROM ${PYTHON}
# One thread per numerical library, so that rankings are bit-identical on any number of cores.
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
# Compile the kernels before the first large campaign needs them.
RUN export NUMBA_CACHE_DIR=/var/cache/quintet && \
    python -m ranking.core.compile_kernels && \
    python -c "import annotation.sampling.kernels"
# numba needs a writable cache, and the root file system is read-only: /tmp links to the compiled kernels and stores
# those for other processors.
ENV NUMBA_CACHE_DIR=/tmp/kernels
ENTRYPOINT ["sh", "-c", "cp -rsf /var/cache/quintet/. $NUMBA_CACHE_DIR; exec \"$@\"", "sh"]
# The image contains no Git repository: docker compose build --build-arg CODE_VERSION="$(python3 version.py)"
ARG CODE_VERSION=
ENV QUINTET_CODE_VERSION=$CODE_VERSION
EXPOSE 8000
CMD ["gunicorn", "--config=python:config.gunicorn", "--bind=0.0.0.0:8000"]
