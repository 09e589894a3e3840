// State that all pages share: account, store, address bar and queries.
import { createContext, useContext, useEffect, useRef, useState } from './lib.js';
import { send } from './api.js';

export { go } from './leaving.js';

/**
 * @typedef {object} App
 * @property {{id: string, name: string, email: string, verified: boolean, mailPossible: boolean, role: string,
 *   memberships: any[], savedViews?: {list: string, name: string, query: string}[]}} account
 * @property {{id: string, name: string, currency: string, timezone: string, version: number}} store
 * @property {(what: string) => boolean} can whether the person's role allows something
 * @property {string} zone the store's time zone
 * @property {(text: string, tone?: 'good'|'bad', undo?: () => Promise<void>) => void} notify shows and announces a
 *   sentence, with an Undo button if there is a function for it
 * @property {() => void} refresh reads account and store again
 * @property {(n: number) => void} setUnread
 */

export const AppContext = createContext(/** @type {App} */ (null));

/** @returns {App} */
export const useApp = () => useContext(AppContext);

/** Errors that may not recur a moment later. */
const transientCodes = ['network', 'unavailable', 'rate_limited', 'internal_error'];

/**
 * Runs a query, and again whenever the text or the variables change. Meanwhile the previous data
 * stays. An empty text runs nothing. refresh runs it without showing that it loads; if that fails
 * temporarily, the data stays and lost is true. answers counts the answers. read sends the query
 * and must be the same function on every call.
 */
export function useQuery(text, variables = {}, read = send) {
  const [state, setState] = useState({ data: null, errors: [], failure: null, loading: true, lost: false, answers: 0 });
  const [turn, setTurn] = useState(0);
  const quiet = useRef(false);
  const key = text + JSON.stringify(variables);
  useEffect(() => {
    if (!text) {
      setState((old) => ({ ...old, data: null, errors: [], failure: null, loading: false }));
      return undefined;
    }
    const stop = new AbortController();
    const silent = quiet.current;
    quiet.current = false;
    if (!silent) {
      setState((old) => ({ ...old, loading: true }));
    }
    const settle = (next) =>
      stop.signal.aborted || setState((old) => ({ ...old, loading: false, answers: old.answers + 1, ...next(old) }));
    read(text, variables, { signal: stop.signal }).then(
      ({ data, errors }) => settle(() => ({ data, errors, failure: null, lost: false })),
      (failure) => settle((old) => (silent && old.data && transientCodes.includes(failure.code)
        ? { lost: true } : { data: null, errors: [], failure, lost: false })),
    );
    return () => stop.abort();
  }, [key, turn]);
  const reload = () => setTurn((n) => n + 1);
  const refresh = () => {
    quiet.current = true;
    reload();
  };
  return { ...state, reload, refresh };
}

/** Reads all pages of a query of one list. The answer holds all rows. */
async function readAll(text, variables, options) {
  const answer = await send(text, variables, options);
  const [list] = Object.values(answer.data);
  if (!list) {
    throw answer.errors[0];
  }
  while (list.pageInfo.hasNextPage) {
    const { data } = await send(text, { ...variables, after: list.pageInfo.endCursor }, options);
    const [next] = Object.values(data);
    list.nodes.push(...next.nodes);
    list.pageInfo = next.pageInfo;
  }
  return answer;
}

/**
 * Reads a whole list, page by page. A quota of the store bounds its length.
 * @param {string} field the name of the list; empty reads nothing
 * @param {string} members the fields of each row
 * @returns what {@link useQuery} returns, with nodes, which is null until all rows are read
 */
export function useAll(field, members) {
  const text = field && `query All($after: String) { ${field}(first: 100, after: $after) {
    nodes { ${members} } pageInfo { hasNextPage endCursor } } }`;
  const query = useQuery(text, {}, readAll);
  return { ...query, nodes: query.data?.[field].nodes ?? null };
}

/** The path and query of the address bar. */
export function useAddress() {
  const [at, setAt] = useState({ path: location.pathname, query: location.search });
  useEffect(() => {
    const read = () => setAt({ path: location.pathname, query: location.search });
    addEventListener('popstate', read);
    addEventListener('moved', read);
    return () => {
      removeEventListener('popstate', read);
      removeEventListener('moved', read);
    };
  }, []);
  return at;
}

/** The query of the address bar as an object of strings. */
export function useFilters() {
  const { query } = useAddress();
  return Object.fromEntries(new URLSearchParams(query));
}
