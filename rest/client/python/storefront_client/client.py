"""Calls with retries, idempotency keys and lists that walk themselves."""

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

#: Statuses that may be another after a while. A write that is sent again carries the same idempotency key.
PASSING = frozenset({429, 500, 502, 503, 504})

#: The longest wait between two tries, in seconds.
LONGEST_WAIT = 60.0


class StorefrontError(Exception):
    """A refusal of the API, or of what stands between."""

    def __init__(self, status: int, problem: Optional[types.Problem]) -> None:
        #: The status of the answer.
        self.status = status
        #: The problem document; None where something between the client and the service answered.
        self.problem = problem
        #: The stable name to branch on; empty without a problem document.
        self.code = problem["code"] if problem else ""
        text = f"the answer is {status}"
        if problem:
            text = f"{self.code} ({status}, {problem['request_id']}): {problem['detail']}"
        super().__init__(text)


class Client(Operations):
    """Calls the API with one credential, an API key or an access token.

    It retries what may pass, with the same idempotency key, and waits as long as the service says. It
    may be shared by threads: each has a connection of its own, which it keeps.
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
        given = {name: value for name, value in (query or {}).items() if value is not None}
        if given:
            target += "?" + urlencode(given)
        headers = {"Accept": "application/json", "Authorization": "Bearer " + self._credential}
        if method != "GET":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        tried = 0
        while True:
            said: Optional[str] = None
            try:
                status, said, answer = self._send(method, target, content, headers)
            except (OSError, http.client.HTTPException):
                if tried >= self._retries:
                    raise
            else:
                if 200 <= status < 300:
                    return json.loads(answer) if answer else None
                refused = _refusal(status, answer)
                passes = status in PASSING or refused.code == "idempotency_in_progress"
                if tried >= self._retries or not passes:
                    raise refused
            time.sleep(_delay(said, tried))
            tried += 1

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
            answer = connection.getresponse()
            return answer.status, answer.getheader("Retry-After"), answer.read()
        except BaseException:
            self.close()  # what is left of an answer must not be taken for the next one
            raise

    def _connect(self) -> http.client.HTTPConnection:
        host = self._url.hostname or ""
        if self._tls is None:
            return http.client.HTTPConnection(host, self._url.port, timeout=self._timeout)
        return http.client.HTTPSConnection(host, self._url.port, timeout=self._timeout, context=self._tls)


def _refusal(status: int, answer: bytes) -> StorefrontError:
    try:
        problem = json.loads(answer)
    except ValueError:
        return StorefrontError(status, None)
    ours = isinstance(problem, dict) and isinstance(problem.get("code"), str)
    return StorefrontError(status, problem if ours else None)


def _delay(said: Optional[str], tried: int) -> float:
    """How long to wait before the next try: as the service says, or longer each time and by chance."""
    own = random.random() * 0.5 * float(2**tried)
    if said is not None and said.isdecimal():
        return min(float(said) + own / 10, LONGEST_WAIT)
    return min(own, LONGEST_WAIT)
