"""The columns that the activity log records."""

from campaign.database.recording import recorded_columns

# Words that a column of secrets would have in its name.
SECRETS = ("token", "secret", "key", "hash", "password", "code", "seed", "url")


def test_no_value_of_a_secret_is_recorded() -> None:
    for model, (fields, _hidden) in recorded_columns().items():
        assert not [name for name in fields if any(word in name for word in SECRETS)], model
