"""Verifies webhook deliveries."""

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
    """Why a delivery is rejected. Answer it with 401."""


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secrets: Union[str, Sequence[str]],
    now: Optional[float] = None,
) -> types.Event:
    """Verifies a delivery and returns its event.

    body is the raw body, not a parsed object that was written again. secrets is the endpoint's secret, or
    both during a rotation. Raises WebhookError if the delivery is not valid.
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
        raise WebhookError("the timestamp differs too much from the clock")
    message = timestamp.encode() + b"." + body
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        expected = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
        if hmac.compare_digest(expected.encode(), signature.encode()):
            return cast(types.Event, json.loads(body))
    raise WebhookError("the signature does not match")
