#!/bin/sh
# Creates the application's role, which does not own the tables, and sets its password.
# The PostgreSQL container runs this when it creates a database. To change the password:
#   docker compose exec postgres sh /docker-entrypoint-initdb.d/roles.sh
# `manage.py migrate` grants the role its rights on the tables.
set -eu
if [ -n "${APPLICATION_PASSWORD_FILE:-}" ]; then
  APPLICATION_PASSWORD=$(cat "$APPLICATION_PASSWORD_FILE")
fi
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=password="$APPLICATION_PASSWORD" \
    --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
SELECT 'CREATE ROLE quintet_app LOGIN'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'quintet_app') \gexec
ALTER ROLE quintet_app PASSWORD :'password';
SQL
