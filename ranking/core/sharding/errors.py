"""What can go wrong between shards and those who compute them."""


class EngineError(RuntimeError):
    """An engine cannot compute the shards it was given; the message says why and what to do."""
