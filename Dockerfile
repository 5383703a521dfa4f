# One image for web server, worker and beat; docker-compose.yml says which is which.

# The digest decides; the tag before it is for people.
ARG PYTHON=python:3.12.14-slim-bookworm@sha256:782412e85d0f0984994c290652577d4018aff08145c85b262bb63dc0c7522254

FROM ${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
RUN python -m venv /opt/venv
COPY requirements/*.txt /tmp/
# Wheels only, each with the hash that was locked: nothing is built, nothing unforeseen comes in.
RUN cd /tmp && /opt/venv/bin/pip install --require-hashes --only-binary=:all: \
    -r base.txt -r numba.txt -r parquet.txt -r png.txt
# What SENTRY_DSN needs: docker build --build-arg ERRORS=1
ARG ERRORS=
RUN if [ -n "$ERRORS" ]; then /opt/venv/bin/pip install --require-hashes --only-binary=:all: -r /tmp/errors.txt; fi
# What EXPORT_STORAGE needs of S3: docker build --build-arg STORAGE=1
ARG STORAGE=
RUN if [ -n "$STORAGE" ]; then /opt/venv/bin/pip install --require-hashes --only-binary=:all: -r /tmp/storage.txt; fi
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
    NUMBA_CACHE_DIR=/var/cache/quintet
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin quintet \
    && install -d -o quintet -g quintet /var/lib/quintet /var/cache/quintet
COPY --from=build /opt/venv /opt/venv
COPY --from=build /srv/static /srv/static
COPY --from=build /srv/quintet /srv/quintet
WORKDIR /srv/quintet
USER 10001
# Ahead of the first large campaign; another processor than this one compiles again by itself.
RUN python -m ranking.core.compile_kernels && \
    python -c "import annotation.sampling.cycle_kernel"
EXPOSE 8000
CMD ["gunicorn", "--config=python:config.gunicorn", "--bind=0.0.0.0:8000"]
