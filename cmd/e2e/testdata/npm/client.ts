// Drives the client for TypeScript against a server: baseUrl, key and the vectors of
// signatures are the arguments, one line of JSON is the result.
import { Client, StorefrontError, verify, WebhookError, type WebhookEvent } from "./index.js";

declare const process: { argv: string[]; stdout: { write(text: string): void } };

interface Vector {
  secret: string;
  timestamp: string;
  body: string;
  signature: string;
}

const [baseUrl, credential, vector] = process.argv.slice(2) as [string, string, string];
let lost = 1;
const client = new Client({
  baseUrl,
  credential: () => credential,
  fetch: async (input, init) => {
    const answer = await fetch(input, init);
    if (init?.method === "POST" && lost-- > 0) throw new TypeError("the answer is lost");
    return answer;
  },
});

const me = await client.getMe();
const product = await client.createProduct({ title: "TypeScript mug", price_minor: 1450, currency: "EUR" });
const again = await client.createProduct(
  { title: "TypeScript cup", price_minor: 1, currency: "EUR" },
  { idempotencyKey: "typescript-1" },
);
const replayed = await client.createProduct(
  { title: "TypeScript cup", price_minor: 1, currency: "EUR" },
  { idempotencyKey: "typescript-1" },
);
const mugs: string[] = [];
for await (const p of client.products({ limit: 20 })) {
  if (p.title.startsWith("TypeScript mug")) mugs.push(p.id);
}
let numbers = 0;
for await (const order of client.orders({ limit: 7 })) numbers += order.number > 0 ? 1 : 0;
const refused = await client.getProduct("prod_nothing").catch((error: unknown) => error);

const { secret, timestamp, body, signature } = JSON.parse(vector) as Vector;
const headers = { "X-Service-Timestamp": timestamp, "x-service-signature": signature };
const event: WebhookEvent = await verify(body, headers, ["whsec_other", secret], Number(timestamp) + 299);
const late = await verify(body, headers, secret, Number(timestamp) + 301).catch((error: unknown) => error);
const changed = await verify(body + " ", headers, secret, Number(timestamp)).catch((error: unknown) => error);

process.stdout.write(
  JSON.stringify({
    type: me.type,
    mugs,
    product: product.id,
    same: again.id === replayed.id,
    orders: numbers,
    code: refused instanceof StorefrontError ? refused.code : String(refused),
    event: event.type,
    refused: late instanceof WebhookError && changed instanceof WebhookError,
  }) + "\n",
);
