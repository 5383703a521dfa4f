from django.utils.crypto import salted_hmac


def opaque(kind: str, key: int | None) -> str:
    """Return a keyed hash that tells two judges in one browser apart, but not who they are."""
    return salted_hmac(f"annotation.judge_page.{kind}", str(key)).hexdigest()[:16]
