"""The database that pg_dump and pg_restore work on."""

from psycopg2.extensions import parse_dsn

from launcher.program_target import Target

URL = (
    "postgresql://quintet:a%40%27b@one,two:5433/quintet"
    "?target_session_attrs=read-write&channel_binding=require&sslrootcert=/etc/own%20root.pem"
)


def test_all_parameters_of_an_address_arrive_and_no_argument_shows_the_password() -> (
    None
):
    target = Target.of(URL)
    received = parse_dsn(target.argument.removeprefix("--dbname="))
    assert {**received, "password": target.environment["PGPASSWORD"]} == parse_dsn(URL)
    assert "a@'b" not in target.argument
