"""kombu's transport for Redis, which goes on where the answer to an acknowledgement is lost.

A worker takes one message at a time: the next one comes when the last is acknowledged. Where the broker does not
answer in time, kombu logs that and counts the message as under way for good, so that a worker that had waited
for a broker of a minute's silence took nothing any more. Here its place becomes free. The broker brings such a
message again after `visibility_timeout`; all our tasks may be done twice.
"""

from kombu.transport import TRANSPORT_ALIASES, redis, virtual


class QoS(redis.QoS):
    """Counts the messages that are under way."""

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message; its place is free also where the broker does not hear of it."""
        try:
            super().ack(delivery_tag)
        except redis.Transport.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise


class Channel(redis.Channel):
    """A channel of kombu's with our count."""

    QoS = QoS


class Transport(redis.Transport):
    """The transport of addresses that begin with `redis`, once `transport_register` was called."""

    Channel = Channel
    # Seconds that an idle worker waits before it asks again, less than `socket_timeout`; a message comes at once.
    brpop_timeout = 4


def transport_register() -> None:
    """Let kombu use this transport for all connections to Redis."""
    TRANSPORT_ALIASES["redis"] = f"{__name__}:{Transport.__name__}"
