import { Operations, type Call, type Page } from "./operations.js";
import type { Problem } from "./types.js";

/** The configuration of a client. */
export interface ClientConfig {
  /** The URL of the API, which ends in /api/public/v1. */
  baseUrl: string;
  /** An API key or an access token, or a function that is called before each request and returns one. */
  credential: string | (() => string | Promise<string>);
  /** The maximum number of retries of a request. The default is 4. */
  retries?: number;
  /** The timeout of each attempt in milliseconds. The default is 30,000. */
  timeout?: number;
  /** The function that sends requests. The default is the platform's fetch. */
  fetch?: typeof fetch;
}

/** An error response of the API or of a proxy. */
export class StorefrontError extends Error {
  override readonly name = "StorefrontError";

  constructor(
    /** The status of the response. */
    readonly status: number,
    /** The problem document; null if the response is not from the API. */
    readonly problem: Problem | null,
  ) {
    super(problem ? `${problem.code} (${status}, ${problem.request_id}): ${problem.detail}` : `the response has status ${status}`);
  }

  /** The error code to branch on; empty without a problem document. */
  get code(): string {
    return this.problem?.code ?? "";
  }
}

/** Statuses of temporary errors, which are retried with the same idempotency key. */
const temporary = new Set([429, 500, 502, 503, 504]);

/** The longest delay between two attempts, in milliseconds. */
const maxDelay = 60_000;

/**
 * Client calls the API with one credential. It retries temporary errors with the same idempotency key, after the
 * delay that the service asks for, and iterates over lists.
 */
export class Client extends Operations {
  readonly #config: Required<Omit<ClientConfig, "credential">> & Pick<ClientConfig, "credential">;

  constructor(config: ClientConfig) {
    super();
    const url = new URL(config.baseUrl);
    if (!/^https?:$/.test(url.protocol) || url.search || url.hash) {
      throw new TypeError(`baseUrl ${config.baseUrl}: want http(s)://host/path`);
    }
    this.#config = {
      retries: 4,
      timeout: 30_000,
      fetch: (input, init) => fetch(input, init),
      ...config,
      baseUrl: config.baseUrl.replace(/\/+$/, ""),
    };
  }

  protected override async call<T>(call: Call): Promise<T> {
    const key = call.options?.idempotencyKey ?? crypto.randomUUID();
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= this.#config.retries;
      const response = await this.#send(call, key).catch((error: unknown) => {
        call.options?.signal?.throwIfAborted();
        if (last) throw error;
        return null;
      });
      if (response?.ok) {
        return (response.status === 204 ? undefined : await response.json()) as T;
      }
      const error = response && (await errorOf(response));
      if (error && (last || !(temporary.has(error.status) || error.code === "idempotency_in_progress"))) {
        throw error;
      }
      await wait(delay(response, attempt), call.options?.signal);
    }
  }

  protected override async *walk<T>(call: Call): AsyncGenerator<T, void, undefined> {
    let query: object = call.query ?? {};
    for (;;) {
      const page = await this.call<Page<T>>({ ...call, query });
      yield* page.data;
      if (page.next_cursor === null) return;
      query = { ...query, cursor: page.next_cursor };
    }
  }

  async #send(call: Call, key: string): Promise<Response> {
    const { credential, baseUrl, timeout } = this.#config;
    const url = new URL(baseUrl + call.path);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value === undefined || value === null) continue;
      if (typeof value !== "object") url.searchParams.set(name, String(value));
      else for (const [member, text] of Object.entries(value)) url.searchParams.set(`${name}[${member}]`, String(text));
    }
    const headers: Record<string, string> = {
      accept: "application/json",
      authorization: "Bearer " + (typeof credential === "function" ? await credential() : credential),
    };
    if (call.method !== "GET") headers["idempotency-key"] = key;
    if (call.body !== undefined) headers["content-type"] = "application/json";
    const signals = [AbortSignal.timeout(timeout), ...(call.options?.signal ? [call.options.signal] : [])];
    return this.#config.fetch(url, {
      method: call.method,
      headers,
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      signal: AbortSignal.any(signals),
      redirect: "error", // never send the credential to another address
    });
  }
}

/** Reads an error response. */
async function errorOf(response: Response): Promise<StorefrontError> {
  const text = await response.text().catch(() => "");
  try {
    const problem = JSON.parse(text) as Problem;
    return new StorefrontError(response.status, typeof problem.code === "string" ? problem : null);
  } catch {
    return new StorefrontError(response.status, null);
  }
}

/** Returns the delay before the next attempt: Retry-After, or an exponential backoff with jitter. */
function delay(response: Response | null, attempt: number): number {
  const retryAfter = Number(response?.headers.get("retry-after") ?? Number.NaN);
  const backoff = Math.random() * 500 * 2 ** attempt;
  return Math.min(Number.isFinite(retryAfter) ? retryAfter * 1000 + backoff / 10 : backoff, maxDelay);
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
