"""How passwords are hashed."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class SmallArgon2Hasher(Argon2PasswordHasher):
    """Argon2id with 19 MiB and one thread, which leaves memory and processors to judges."""

    time_cost = 2
    memory_cost = 19_456
    parallelism = 1
