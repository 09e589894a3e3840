// The client of POST /graphql, the only way to the server.

let store = '';
let person = '';

/** Names the store that requests are about; empty lets the server choose. */
export function useStoreID(id) {
  store = id;
}

/** Names the person whom requests come from: should another one have signed in since, the server refuses them. */
export function usePersonID(id) {
  person = id;
}

/** A request that came to nothing: the network, the server, or a refusal of all of it. */
export class Failure extends Error {
  /**
   * @param {string} message a sentence for the person
   * @param {string} code the server's machine name, or "network"
   * @param {string} [request] the server's id of the request
   */
  constructor(message, code, request) {
    super(message);
    this.code = code;
    this.request = request;
  }
}

/** A mutation that the server understood and did not do. */
export class Refused extends Error {
  /** @param {{code: string, message: string, path: string[]|null}[]} errors */
  constructor(errors) {
    super(errors.map((e) => e.message).join(' '));
    this.errors = errors;
  }

  /** Somebody else changed the thing since it was read. */
  get stale() {
    return this.errors.some((e) => e.code === 'version_mismatch');
  }
}

const signIn = '/sign-in';

/** The address at which one signs in and comes back to a path. */
export const signInAddress = (path) => signIn + '?return_to=' + encodeURIComponent(path);

/** Leaves for the sign-in page, which leads back to where we are. */
function leave() {
  location.assign(signInAddress(location.pathname + location.search));
  return new Promise(() => {}); // the page is going: nothing more to show
}

let signsIn = leave; // how the person signs in again
let signing = null; // while they are asked

/**
 * Says how a person signs in again where the session has ended: by a function that resolves when they have, and throws
 * a Failure when they would not. Until then the page is left for the sign-in page.
 */
export function setSignInPrompt(ask) {
  signsIn = ask ?? leave;
}

const headersOf = { 'content-type': 'application/json', accept: 'application/json' };

/** Returns the account that is signed in now; null for nobody, and where the server cannot be asked. */
export async function signedIn() {
  try {
    const response = await brief('/graphql',
      { method: 'POST', headers: headersOf, body: JSON.stringify({ query: '{ account { id name } }' }) });
    return (await response.json()).data?.account ?? null;
  } catch {
    return null;
  }
}

/**
 * Sends one query. The answer may hold both data and errors: a field that
 * the person's role does not reach is null.
 * @returns {Promise<{data: any, errors: Failure[]}>}
 * @throws {Failure} when there is no data at all
 */
export async function send(text, variables = {}, { signal } = {}) {
  const body = JSON.stringify({ query: text, variables });
  try {
    return await post(body, '', signal);
  } catch (failure) {
    if (failure.code !== 'network' || signal?.aborted) {
      throw failure;
    }
    await new Promise((done) => setTimeout(done, 400)); // reading twice harms nobody
    return post(body, '', signal);
  }
}

/** How requests go out; what takes long brings a way of its own. */
const brief = (url, options) =>
  fetch(url, { ...options, signal: options.signal ?? AbortSignal.timeout(30e3), redirect: 'error' });

async function post(body, key, signal, via = brief) {
  const headers = { ...headersOf };
  if (person) {
    headers['Storefront-Person'] = person;
  }
  if (store) {
    headers['Storefront-Store'] = store;
  }
  if (key) {
    headers['Idempotency-Key'] = key;
  }
  let response, answer;
  try {
    response = await via('/graphql', { method: 'POST', headers, body, signal });
    answer = response.status === 401 ? null : await response.json();
  } catch (e) {
    if (signal?.aborted) {
      throw e;
    }
    throw new Failure(response ? 'The server sent an unexpected response. Reload the page and try again.'
      : 'The server could not be reached. Check the connection and try again.', 'network');
  }
  if (!answer) { // it did nothing, so it can be sent again
    signing ??= signsIn().finally(() => {
      signing = null;
    });
    await signing;
    return post(body, key, signal, via);
  }
  const errors = (answer.errors ?? [])
    .map((e) => new Failure(e.message, e.extensions?.code ?? 'internal_error', e.extensions?.request_id));
  if (answer.data == null) {
    throw errors[0] ?? new Failure('The server sent an empty response. Try again.', 'internal_error');
  }
  return { data: answer.data, errors };
}

let prove = null; // how the person proves that it is them
let proving = null; // while they are asked

/**
 * Says how a person proves that it is them, where a mutation needs it: by a function that resolves when they have,
 * and throws a Failure when they would not.
 */
export function setProofPrompt(ask) {
  prove = ask;
}

/** Sends a mutation, once more where it needs a proof first: a refused one did nothing. */
async function proved(sends) {
  try {
    return await sends();
  } catch (failure) {
    if (failure.code !== 'reauthentication_required' || !prove) {
      throw failure;
    }
    proving ??= prove().finally(() => {
      proving = null;
    });
    await proving;
    return sends();
  }
}

function fresh() {
  // Browsers keep randomUUID for secure origins.
  return crypto.randomUUID?.() ??
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
}

/**
 * Makes a function that runs one mutation. It sends an idempotency key, and the
 * same one again as long as the same submission has no answer: whoever presses
 * twice after a lost connection pays once. Mutations that show a secret are
 * never kept by the server and take no key: once is false for them.
 * @param {string} text a document with one mutation field
 * @param {{once?: boolean, via?: (url: string, options: object) => Promise<{status: number,
 *   json: () => Promise<any>}>}} [options] via sends instead of fetch
 * @returns {(variables: object) => Promise<any>} its payload
 * @throws {Refused|Failure} by the function
 */
export function mutation(text, { once = true, via } = {}) {
  let body = '';
  let key = '';
  return async (variables) => {
    const now = JSON.stringify({ query: text, variables });
    if (now !== body) {
      body = now;
      key = once ? fresh() : '';
    }
    const { data, errors } = await proved(() => post(now, key, undefined, via));
    body = '';
    const payload = Object.values(data)[0];
    if (payload == null) {
      throw errors[0] ?? new Failure('The server sent an empty response. Try again.', 'internal_error');
    }
    if (payload.userErrors?.length) {
      throw new Refused(payload.userErrors);
    }
    return payload;
  };
}
