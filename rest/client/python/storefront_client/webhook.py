"""Deliveries that are proved before they are read."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import time
from typing import Mapping, Optional, Sequence, Union, cast

from . import types

#: The largest difference between the clocks of sender and receiver, in seconds.
TOLERANCE = 300


class WebhookError(Exception):
    """Why a delivery is not taken: answer it with 401 or 400, and do nothing."""


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secrets: Union[str, Sequence[str]],
    now: Optional[float] = None,
) -> types.Event:
    """Verifies a delivery and returns its event.

    The body is the bytes as they came, never an object that was written again; secrets is the endpoint's
    secret, or both while it is rotated. Raises WebhookError for what is not ours.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    timestamp, signature = lower.get("x-service-timestamp"), lower.get("x-service-signature")
    if timestamp is None or signature is None:
        raise WebhookError("a header is missing")
    try:
        at = float(timestamp)
    except ValueError:
        at = math.nan
    if not abs((time.time() if now is None else now) - at) <= TOLERANCE:
        raise WebhookError("the timestamp is too far away")
    message = timestamp.encode() + b"." + body
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        expected = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
        if hmac.compare_digest(expected.encode(), signature.encode()):
            return cast(types.Event, json.loads(body))
    raise WebhookError("the signature is another")
