"""Client of the Storefront REST API v1."""

from . import types
from .client import Client, StorefrontError
from .webhook import WebhookError, verify

__all__ = ["Client", "StorefrontError", "WebhookError", "types", "verify"]
