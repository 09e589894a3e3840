import type { Event as Delivery, EventObjects } from "./types.js";

/** An event with the object of its type. The object of `ping`, and of types added later, is unknown. */
export type WebhookEvent =
  | { [T in keyof EventObjects]: Omit<Delivery, "type" | "data"> & { type: T; data: { object: EventObjects[T] } | null } }[keyof EventObjects]
  | (Omit<Delivery, "type" | "data"> & { type: "ping"; data: { object: unknown } | null });

/** Why a delivery is rejected. Answer it with 401. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** The largest difference between the clocks of sender and receiver, in seconds. */
const tolerance = 300;

/**
 * Verifies a delivery and returns its event. body is the raw body, not a parsed object that was written again.
 * secrets is the endpoint's secret, or both during a rotation. Throws a WebhookError if the delivery is not valid.
 */
export async function verify(
  body: Uint8Array | string,
  headers: Headers | Record<string, string | string[] | undefined>,
  secrets: string | string[],
  now: number = Date.now() / 1000,
): Promise<WebhookEvent> {
  const timestamp = header(headers, "x-service-timestamp");
  const signature = header(headers, "x-service-signature");
  if (timestamp === null || signature === null) throw new WebhookError("a header is missing");
  const at = timestamp.trim() === "" ? Number.NaN : Number(timestamp);
  if (!Number.isFinite(at) || Math.abs(now - at) > tolerance) throw new WebhookError("the timestamp differs too much from the clock");
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  for (const secret of typeof secrets === "string" ? [secrets] : secrets) {
    if (equal(await sign(secret, timestamp, bytes), signature)) {
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
    }
  }
  throw new WebhookError("the signature does not match");
}

async function sign(secret: string, timestamp: string, body: Uint8Array): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const head = encoder.encode(timestamp + ".");
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Compares two texts of the same length in constant time. */
function equal(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let different = 0;
  for (let i = 0; i < a.length; i++) different |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return different === 0;
}

function header(headers: Headers | Record<string, string | string[] | undefined>, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" ? value : null;
}
