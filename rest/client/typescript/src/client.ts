import { Operations, type Call, type Page } from "./operations.js";
import type { Problem } from "./types.js";

/** What a client needs. */
export interface ClientConfig {
  /** {base_url}, which ends in /api/public/v1. */
  baseUrl: string;
  /** An API key or an access token; a function is asked before each request, so that tokens can be renewed. */
  credential: string | (() => string | Promise<string>);
  /** How often a request is tried again at most; 4 unless given. */
  retries?: number;
  /** How long one try may take, in milliseconds; 30,000 unless given. */
  timeout?: number;
  /** What sends the requests; the platform's own fetch unless given. */
  fetch?: typeof fetch;
}

/** A refusal of the API, or of what stands between. */
export class StorefrontError extends Error {
  override readonly name = "StorefrontError";

  constructor(
    /** The status of the answer. */
    readonly status: number,
    /** The problem document; null where something between the client and the service answered. */
    readonly problem: Problem | null,
  ) {
    super(problem ? `${problem.code} (${status}, ${problem.request_id}): ${problem.detail}` : `the answer is ${status}`);
  }

  /** The stable name to branch on; empty without a problem document. */
  get code(): string {
    return this.problem?.code ?? "";
  }
}

/** Statuses that may be another after a while. A write that is sent again carries the same idempotency key. */
const passing = new Set([429, 500, 502, 503, 504]);

/** The longest wait between two tries, in milliseconds. */
const longestWait = 60_000;

/**
 * Client calls the API with one credential. It retries what may pass, with the same idempotency key, waits as long as
 * the service says, and walks lists.
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
    for (let tried = 0; ; tried++) {
      const last = tried >= this.#config.retries;
      const answer = await this.#send(call, key).catch((error: unknown) => {
        call.options?.signal?.throwIfAborted();
        if (last) throw error;
        return null;
      });
      if (answer?.ok) {
        return (answer.status === 204 ? undefined : await answer.json()) as T;
      }
      const refused = answer && (await refusal(answer));
      if (refused && (last || !(passing.has(refused.status) || refused.code === "idempotency_in_progress"))) {
        throw refused;
      }
      await wait(delay(answer, tried), call.options?.signal);
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
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
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
      redirect: "error", // the credential goes nowhere else
    });
  }
}

/** Reads a refusal. */
async function refusal(answer: Response): Promise<StorefrontError> {
  const text = await answer.text().catch(() => "");
  try {
    const problem = JSON.parse(text) as Problem;
    return new StorefrontError(answer.status, typeof problem.code === "string" ? problem : null);
  } catch {
    return new StorefrontError(answer.status, null);
  }
}

/** How long to wait before the next try: as the service says, or longer each time and by chance. */
function delay(answer: Response | null, tried: number): number {
  const said = Number(answer?.headers.get("retry-after") ?? Number.NaN);
  const own = Math.random() * 500 * 2 ** tried;
  return Math.min(Number.isFinite(said) ? said * 1000 + own / 10 : own, longestWait);
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
