"""Calls the API with retries and idempotency keys, and iterates over lists."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import threading
import time
import uuid
from typing import Any, Iterator, Mapping, Optional
from urllib.parse import urlencode, urlsplit

from . import types
from .operations import Operations

#: Statuses of temporary errors, which are retried with the same idempotency key.
TEMPORARY = frozenset({429, 500, 502, 503, 504})

#: The longest delay between two attempts, in seconds.
MAX_DELAY = 60.0


class StorefrontError(Exception):
    """An error response of the API or of a proxy."""

    def __init__(self, status: int, problem: Optional[types.Problem]) -> None:
        #: The status of the response.
        self.status = status
        #: The problem document; None if the response is not from the API.
        self.problem = problem
        #: The error code to branch on; empty without a problem document.
        self.code = problem["code"] if problem else ""
        text = f"the response has status {status}"
        if problem:
            text = f"{self.code} ({status}, {problem['request_id']}): {problem['detail']}"
        super().__init__(text)


class Client(Operations):
    """Calls the API with one credential, an API key or an access token.

    It retries temporary errors with the same idempotency key, after the delay that the service asks for.
    Threads can share a client: each has its own connection, which is kept open.
    """

    def __init__(self, base_url: str, credential: str, *, retries: int = 4, timeout: float = 30.0) -> None:
        url = urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
            raise ValueError(f"base_url {base_url}: want http(s)://host/path")
        if not credential:
            raise ValueError("the credential is empty")
        self._url = url
        self._credential = credential
        self._retries = retries
        self._timeout = timeout
        self._tls = ssl.create_default_context() if url.scheme == "https" else None
        self._own = threading.local()

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        target = self._url.path.rstrip("/") + path
        given = {}
        for name, value in (query or {}).items():
            if isinstance(value, Mapping):
                given.update({f"{name}[{member}]": text for member, text in value.items()})
            elif value is not None:
                given[name] = value
        if given:
            target += "?" + urlencode(given)
        headers = {"Accept": "application/json", "Authorization": "Bearer " + self._credential}
        if method != "GET":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        attempt = 0
        while True:
            retry_after: Optional[str] = None
            try:
                status, retry_after, response = self._send(method, target, content, headers)
            except (OSError, http.client.HTTPException):
                if attempt >= self._retries:
                    raise
            else:
                if 200 <= status < 300:
                    return json.loads(response) if response else None
                error = _error(status, response)
                temporary = status in TEMPORARY or error.code == "idempotency_in_progress"
                if attempt >= self._retries or not temporary:
                    raise error
            time.sleep(_delay(retry_after, attempt))
            attempt += 1

    def walk(self, method: str, path: str, *, query: Mapping[str, Any]) -> Iterator[Any]:
        query = dict(query)
        while True:
            page = self.call(method, path, query=query)
            yield from page["data"]
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    def close(self) -> None:
        """Closes the connection of this thread."""
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close()
            self._own.connection = None

    def _send(
        self, method: str, target: str, body: Optional[bytes], headers: Mapping[str, str]
    ) -> tuple[int, Optional[str], bytes]:
        connection = getattr(self._own, "connection", None) or self._connect()
        self._own.connection = connection
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            return response.status, response.getheader("Retry-After"), response.read()
        except BaseException:
            self.close()  # the rest of a response must not be read as the next one
            raise

    def _connect(self) -> http.client.HTTPConnection:
        host = self._url.hostname or ""
        if self._tls is None:
            return http.client.HTTPConnection(host, self._url.port, timeout=self._timeout)
        return http.client.HTTPSConnection(host, self._url.port, timeout=self._timeout, context=self._tls)


def _error(status: int, response: bytes) -> StorefrontError:
    try:
        problem = json.loads(response)
    except ValueError:
        return StorefrontError(status, None)
    ours = isinstance(problem, dict) and isinstance(problem.get("code"), str)
    return StorefrontError(status, problem if ours else None)


def _delay(retry_after: Optional[str], attempt: int) -> float:
    """Returns the delay before the next attempt: Retry-After, or an exponential backoff with jitter."""
    backoff = random.random() * 0.5 * float(2**attempt)
    if retry_after is not None and retry_after.isdecimal():
        return min(float(retry_after) + backoff / 10, MAX_DELAY)
    return min(backoff, MAX_DELAY)
