export { Client, StorefrontError, type ClientConfig } from "./client.js";
export { verify, WebhookError, type WebhookEvent } from "./webhook.js";
export * from "./operations.js";
export type * as types from "./types.js";
