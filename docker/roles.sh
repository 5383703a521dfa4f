#!/bin/sh
# Creates the role of the application, which is not the owner of the tables, and sets its password.
# PostgreSQL's container runs it where it makes a new database. To tell it another password, by hand:
#   docker compose exec postgres sh /docker-entrypoint-initdb.d/roles.sh
# What the role may do with the tables is granted by `manage.py migrate`.
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
