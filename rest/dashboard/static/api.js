// The client of POST /graphql. All requests go through it.

let store = '';
let person = '';

/** Sets the store of all requests. If it is empty, the server chooses. */
export function useStoreID(id) {
  store = id;
}

/** Sets the person of all requests. The server rejects them if someone else has signed in meanwhile. */
export function usePersonID(id) {
  person = id;
}

/** A request that failed as a whole: a network error, a server error or a rejection. */
export class Failure extends Error {
  /**
   * @param {string} message a sentence for the person
   * @param {string} code the server's error code, or "network"
   * @param {string} [request] the server's request id
   */
  constructor(message, code, request) {
    super(message);
    this.code = code;
    this.request = request;
  }
}

/** A mutation that returned user errors. */
export class Refused extends Error {
  /** @param {{code: string, message: string, path: string[]|null}[]} errors */
  constructor(errors) {
    super(errors.map((e) => e.message).join(' '));
    this.errors = errors;
  }

  /** Whether someone else has changed the resource since it was read. */
  get stale() {
    return this.errors.some((e) => e.code === 'version_mismatch');
  }
}

/** Returns the message of a refused or failed request. Anything else is a bug and is thrown again. */
export function messageOf(err) {
  if (err instanceof Refused || err instanceof Failure) {
    return err.message;
  }
  throw err;
}

const signInPath = '/sign-in';

/** Returns the address of the sign-in page, which then redirects to path. */
export const signInAddress = (path) => signInPath + '?return_to=' + encodeURIComponent(path);

/** Goes to the sign-in page, which redirects back here. */
function goToSignIn() {
  location.assign(signInAddress(location.pathname + location.search));
  return new Promise(() => {}); // navigation has started
}

let promptSignIn = goToSignIn; // asks the person to sign in again
let signInPending = null; // a promise while the person is asked

/**
 * Sets how a person is asked to sign in again after the session has ended. ask resolves when they
 * have signed in and rejects with a Failure if they decline. By default the browser goes to the
 * sign-in page.
 */
export function setSignInPrompt(ask) {
  promptSignIn = ask ?? goToSignIn;
}

const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json' };

/** Returns the account that is signed in now; null if there is none or the server cannot be reached. */
export async function signedIn() {
  try {
    const response = await fetchWithTimeout('/graphql',
      { method: 'POST', headers: jsonHeaders, body: JSON.stringify({ query: '{ account { id name } }' }) });
    return (await response.json()).data?.account ?? null;
  } catch {
    return null;
  }
}

/**
 * Sends a query. The answer may hold both data and errors: a field that the person may not read is
 * null.
 * @returns {Promise<{data: any, errors: Failure[]}>}
 * @throws {Failure} if there is no data at all
 */
export async function send(text, variables = {}, { signal } = {}) {
  const body = JSON.stringify({ query: text, variables });
  try {
    return await post(body, '', signal);
  } catch (failure) {
    if (failure.code !== 'network' || signal?.aborted) {
      throw failure;
    }
    await new Promise((done) => setTimeout(done, 400)); // queries are safe to repeat
    return post(body, '', signal);
  }
}

/** The default transport. Uploads use sendWithProgress instead. */
const fetchWithTimeout = (url, options) =>
  fetch(url, { ...options, signal: options.signal ?? AbortSignal.timeout(30e3), redirect: 'error' });

async function post(body, key, signal, via = fetchWithTimeout) {
  const headers = { ...jsonHeaders };
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
  if (!answer) { // 401: nothing was done, so the request can be repeated
    signInPending ??= promptSignIn().finally(() => {
      signInPending = null;
    });
    await signInPending;
    return post(body, key, signal, via);
  }
  const errors = (answer.errors ?? [])
    .map((e) => new Failure(e.message, e.extensions?.code ?? 'internal_error', e.extensions?.request_id));
  if (answer.data == null) {
    throw errors[0] ?? new Failure('The server sent an empty response. Try again.', 'internal_error');
  }
  return { data: answer.data, errors };
}

let promptProof = null; // asks the person to confirm their identity
let proofPending = null; // a promise while the person is asked

/**
 * Sets how a person is asked to confirm their identity when a mutation requires it. ask resolves
 * when they have and rejects with a Failure if they decline.
 */
export function setProofPrompt(ask) {
  promptProof = ask;
}

/** Sends a mutation, and again after the person has confirmed their identity if the server requires that. */
async function withProof(sends) {
  try {
    return await sends();
  } catch (failure) {
    if (failure.code !== 'reauthentication_required' || !promptProof) {
      throw failure;
    }
    proofPending ??= promptProof().finally(() => {
      proofPending = null;
    });
    await proofPending;
    return sends();
  }
}

function newKey() {
  // Browsers offer randomUUID only on secure origins.
  return crypto.randomUUID?.() ??
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns a function that runs one mutation with an idempotency key. The key stays the same until
 * that submission is answered, so a retry after a lost connection does not repeat it. once is false
 * for mutations that show a secret: the server never stores their answers and accepts no key.
 * @param {string} text a document with one mutation field
 * @param {{once?: boolean, via?: (url: string, options: object) => Promise<{status: number,
 *   json: () => Promise<any>}>}} [options] via sends instead of fetch
 * @returns {(variables: object) => Promise<any>} the payload
 * @throws {Refused|Failure} by the function
 */
export function mutation(text, { once = true, via } = {}) {
  let body = '';
  let key = '';
  return async (variables) => {
    const now = JSON.stringify({ query: text, variables });
    if (now !== body) {
      body = now;
      key = once ? newKey() : '';
    }
    const { data, errors } = await withProof(() => post(now, key, undefined, via));
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
