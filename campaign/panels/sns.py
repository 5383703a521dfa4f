"""Messages of Amazon SNS over HTTPS, and their signatures.

https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html and, for the signature,
https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html.
"""

import re
from base64 import b64decode
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.x509 import (
    Certificate,
    DNSName,
    ExtensionNotFound,
    NameOID,
    SubjectAlternativeName,
)

from campaign.panels.events import (
    EventForgedError,
    EventRefusedError,
    iso_time,
    json_object,
    json_text,
)

NOTIFICATION: Final = "Notification"
SUBSCRIPTION: Final = "SubscriptionConfirmation"
UNSUBSCRIPTION: Final = "UnsubscribeConfirmation"
#: SNS tries to deliver for at most 3,600 seconds; the rest allows for differences of clocks.
OLDEST: Final = timedelta(minutes=65)
NEWEST: Final = timedelta(minutes=5)

# Signed fields, in this order; each name and each value is on a line of its own.
_OF_A_TOPIC: Final = (
    "Message",
    "MessageId",
    "SubscribeURL",
    "Timestamp",
    "Token",
    "TopicArn",
    "Type",
)
_SIGNED: Final = {
    NOTIFICATION: ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    SUBSCRIPTION: _OF_A_TOPIC,
    UNSUBSCRIPTION: _OF_A_TOPIC,
}
_LEFT_OUT_IF_ABSENT: Final = "Subject"
# Topics use version 1, with SHA-1, until their owner chooses version 2.
_HASHES: Final = {"1": SHA1, "2": SHA256}
_SNS_HOST: Final = re.compile(r"sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?")
# sns.amazonaws.com; in newer regions sns-signing.REGION.…, in others sns-REGION.…
_SIGNER: Final = re.compile(r"sns(-[a-z0-9-]+)?(\.[a-z0-9-]+)?\.amazonaws\.com(\.cn)?")
_MIN_KEY_BITS: Final = 2048


@dataclass(frozen=True, slots=True)
class SNSMessage:
    """A message of SNS; trust it only after `message_verify`.

    `subscribe_url` is the link that confirms a subscription; empty in a notification.
    """

    kind: str
    topic_arn: str
    text: str
    subscribe_url: str
    at: datetime
    certificate_url: str
    signed: bytes
    signature: bytes
    signature_version: str


def sns_message(body: bytes) -> SNSMessage:
    """Return the unverified message. Raises `EventRefusedError` if it is not in SNS's format."""
    data = json_object(body)
    kind = json_text(data, "Type")
    if kind not in _SIGNED:
        raise EventRefusedError("The message is of no type that SNS has.")
    if json_text(data, "SignatureVersion") not in _HASHES:
        raise EventRefusedError("The signature is of no version that SNS has.")
    return SNSMessage(
        kind=kind,
        topic_arn=json_text(data, "TopicArn"),
        text=json_text(data, "Message"),
        subscribe_url="" if kind == NOTIFICATION else _subscribe_url(data),
        at=iso_time(data, "Timestamp"),
        certificate_url=json_text(data, "SigningCertURL"),
        signed=_signed(data, kind),
        signature=_signature(data),
        signature_version=json_text(data, "SignatureVersion"),
    )


def message_time_check(message: SNSMessage, *, now: datetime) -> None:
    """Raise `EventForgedError` for messages too old for SNS to deliver, or from the future."""
    if not now - OLDEST <= message.at <= now + NEWEST:
        raise EventForgedError("The message is too old, or from the future.")


def message_verify(message: SNSMessage, *, certificate: Certificate, now: datetime) -> None:
    """Raise `EventForgedError` unless SNS signed the message with a certificate valid now.

    The certificate must come from an address of SNS (`certificates.py`). SNS publishes it without
    its chain, so TLS proves whose it is, as for Amazon's own validators.
    """
    if not certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
        raise EventForgedError("The certificate is not valid now.")
    if not any(_SIGNER.fullmatch(name) for name in _names(certificate)):
        raise EventForgedError("The certificate is not that of Amazon SNS.")
    key = certificate.public_key()
    if not isinstance(key, RSAPublicKey) or key.key_size < _MIN_KEY_BITS:
        raise EventForgedError("The certificate holds no key that SNS would have.")
    try:
        key.verify(
            message.signature, message.signed, PKCS1v15(), _HASHES[message.signature_version]()
        )
    except InvalidSignature as error:
        raise EventForgedError("The signature is wrong.") from error


def _subscribe_url(data: dict[str, Any]) -> str:
    subscribe_url = json_text(data, "SubscribeURL")
    try:
        address = urlsplit(subscribe_url)
    except ValueError as error:
        raise EventRefusedError("“SubscribeURL” is no address.") from error
    if address.scheme != "https" or not _SNS_HOST.fullmatch(address.netloc):
        raise EventRefusedError("The subscription is not of Amazon SNS.")
    return subscribe_url


def _signed(data: dict[str, Any], kind: str) -> bytes:
    """Return the signed text, as SNS documents it."""
    names = (
        name for name in _SIGNED[kind] if name != _LEFT_OUT_IF_ABSENT or data.get(name) is not None
    )
    return "".join(f"{name}\n{json_text(data, name)}\n" for name in names).encode()


def _signature(data: dict[str, Any]) -> bytes:
    try:
        return b64decode(json_text(data, "Signature"), validate=True)
    except ValueError as error:
        raise EventRefusedError("The signature is not in base64.") from error


def _names(certificate: Certificate) -> list[str]:
    try:
        found = certificate.extensions.get_extension_for_class(SubjectAlternativeName)
    except ExtensionNotFound:
        names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        return [str(name.value) for name in names]
    return found.value.get_values_for_type(DNSName)
