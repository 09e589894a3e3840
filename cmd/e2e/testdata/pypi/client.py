"""Drives the client for Python against a server: base_url, key and the vectors of signatures are
the arguments, one line of JSON is the result."""

import json
import sys
from typing import Any, Optional

from storefront_client import Client, StorefrontError, WebhookError, verify


class Losing(Client):
    """Loses the answer to its first write."""

    lost = 1

    def _send(self, method: str, *rest: Any) -> tuple[int, Optional[str], bytes]:
        answer = super()._send(method, *rest)
        if method == "POST" and self.lost:
            self.lost -= 1
            raise ConnectionResetError("the answer is lost")
        return answer


base_url, credential, vector = sys.argv[1:]
client = Losing(base_url, credential)
me = client.get_me()
product = client.create_product({"title": "Python mug", "price_minor": 1450, "currency": "EUR"})
again = [
    client.create_product(
        {"title": "Python cup", "price_minor": 1, "currency": "EUR"}, idempotency_key="python-1"
    )["id"]
    for _ in range(2)
]
mugs = [p["id"] for p in client.products(limit=20) if p["title"].startswith("Python mug")]
orders = sum(1 for order in client.orders(limit=7) if order["number"] > 0)
code = ""
try:
    client.get_product("prod_nothing")
except StorefrontError as error:
    code = error.code

signed = json.loads(vector)
body = signed["body"].encode()
headers = {"X-Service-Timestamp": signed["timestamp"], "x-service-signature": signed["signature"]}
event = verify(body, headers, ["whsec_other", signed["secret"]], float(signed["timestamp"]) + 299)
refused = 0
for changed, now in ((body, 301), (body + b" ", 0)):
    try:
        verify(changed, headers, signed["secret"], float(signed["timestamp"]) + now)
    except WebhookError:
        refused += 1

print(
    json.dumps(
        {
            "type": me["type"],
            "mugs": mugs,
            "product": product["id"],
            "same": again[0] == again[1],
            "orders": orders,
            "code": code,
            "event": event["type"],
            "refused": refused == 2,
        }
    )
)
