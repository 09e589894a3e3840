"""Receives Storefront's webhooks with Python 3.9 or later and no packages.

    STOREFRONT_WEBHOOK_SECRET=whsec_... PORT=4242 python3 verify.py
    python3 verify.py --vectors webhook-signature.json   tests this file

During a rotation, set both secrets, separated by a comma.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY = 320 * 1024  # bytes; bodies have at most 256 KiB
TOLERANCE = 300  # seconds


def verify(secrets, timestamp, signature, body, now=None):
    """Return "" or why a delivery is rejected.

    body is the raw body: request.body in Django, request.get_data() in Flask, not JSON that was
    parsed and written again.
    """
    if not timestamp or not signature:
        return "a header is missing"
    # Only digits: float() would also accept " 1", "1_0", "1e9" and "nan".
    if not re.fullmatch("[0-9]{1,15}", timestamp):
        return "the timestamp is not a number"
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
        return "the timestamp differs too much from the clock"
    given = signature.encode()
    for secret in filter(None, secrets):
        want = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest().encode()
        if len(given) == len(want) and hmac.compare_digest(given, want):
            return ""
    return "the signature does not match"


def handle(event):
    """Do your work here. Queue it: the sender waits 5 seconds.

    Deliveries arrive at least once. To deduplicate, insert event_id into a table with a unique key,
    in the same transaction as the work.
    """
    print(event["type"], event["resource"]["id"], event["sequence"], flush=True)


handled = {}  # by event_id, oldest first
lock = threading.Lock()  # one event at a time, so that duplicates wait


def once(event):
    with lock:
        if event["event_id"] in handled:
            return
        handle(event)
        handled[event["event_id"]] = True  # after the work, so that a failure runs again
        if len(handled) > 100_000:
            del handled[next(iter(handled))]


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds
    secrets = []

    def do_POST(self):
        self.send_response(self.receive())
        self.send_header("Content-Length", "0")
        self.end_headers()

    def receive(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length):
            return 411
        if int(length) > MAX_BODY:
            self.close_connection = True
            return 413
        body = self.rfile.read(int(length))
        if verify(self.secrets, self.single("x-service-timestamp"), self.single("x-service-signature"), body):
            return 401
        try:
            event = json.loads(body)
        except ValueError:
            return 400
        try:
            once(event)
        except Exception:
            return 500  # the sender retries
        return 204

    def single(self, name):
        values = self.headers.get_all(name, [])
        return values[0] if len(values) == 1 else ""

    def log_message(self, *args):
        pass


def check(vectors):
    """Run the shared vectors and return how many failed."""
    results = []
    for v in vectors["sign"]:
        stamp, signature = str(v["timestamp"]), v["x-service-signature"]
        body = base64.b64decode(v["body_base64"])
        results.append(("signed", not verify(["whsec_other", v["secret"]], stamp, signature, body, v["timestamp"])))
        results.append(("changed", verify([v["secret"]], stamp, signature, body + b" ", v["timestamp"])))
        results.append(("no secret", verify([""], stamp, signature, body, v["timestamp"])))
    receiver = vectors["receiver"]
    body = base64.b64decode(receiver["body_base64"])
    for kind in ("accept", "refuse"):
        for v in receiver[kind]:
            h = v["headers"]
            why = verify([receiver["secret"]], h.get("x-service-timestamp"), h.get("x-service-signature"), body, v["now"])
            results.append((v["why"], (why == "") == (kind == "accept")))
    failed = [why for why, ok in results if not ok]
    for why in failed:
        print("FAIL", why)
    print(f"{len(results) - len(failed)} of {len(results)} vectors")
    return len(failed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--vectors"]:
        with open(sys.argv[2], encoding="utf-8") as f:
            sys.exit(1 if check(json.load(f)) else 0)
    Receiver.secrets = [s for s in os.environ.get("STOREFRONT_WEBHOOK_SECRET", "").split(",") if s]
    if not Receiver.secrets:
        sys.exit("STOREFRONT_WEBHOOK_SECRET is not set")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4242"))), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
