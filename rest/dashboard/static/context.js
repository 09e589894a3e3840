// What every page knows: who asks, in which store, and how to notify them.
import { createContext, useContext, useEffect, useRef, useState } from './lib.js';
import { send } from './api.js';

export { go } from './leaving.js';

/**
 * @typedef {object} App
 * @property {{id: string, name: string, email: string, verified: boolean, mailPossible: boolean, role: string,
 *   memberships: any[]}} account
 * @property {{id: string, name: string, currency: string, timezone: string, version: number}} store
 * @property {(what: string) => boolean} can whether the person's role reaches something
 * @property {string} zone the store's time zone
 * @property {(text: string, tone?: 'good'|'bad', undo?: () => Promise<void>) => void} notify shows and reads out a
 *   sentence, for a while longer with a button that undoes what it says
 * @property {() => void} refresh reads account and store again
 * @property {(n: number) => void} setUnread
 */

export const AppContext = createContext(/** @type {App} */ (null));

/** @returns {App} */
export const useApp = () => useContext(AppContext);

/** Failures that may be over a moment later. */
const passing = ['network', 'unavailable', 'rate_limited', 'internal_error'];

/**
 * Reads with a query, again whenever the query or its variables change. While
 * it reads again the last answer stays. Without a text it reads nothing.
 * refresh reads again without showing that it does: should that fail for the
 * moment, the last answer stays and lost is true. answers counts what came back.
 * read sends the query; it is the same function on every call.
 */
export function useQuery(text, variables = {}, read = send) {
  const [state, set] = useState({ data: null, errors: [], failure: null, loading: true, lost: false, answers: 0 });
  const [turn, again] = useState(0);
  const quiet = useRef(false);
  const key = text + JSON.stringify(variables);
  useEffect(() => {
    if (!text) {
      set((old) => ({ ...old, data: null, errors: [], failure: null, loading: false }));
      return undefined;
    }
    const stop = new AbortController();
    const silent = quiet.current;
    quiet.current = false;
    if (!silent) {
      set((old) => ({ ...old, loading: true }));
    }
    const settle = (next) =>
      stop.signal.aborted || set((old) => ({ ...old, loading: false, answers: old.answers + 1, ...next(old) }));
    read(text, variables, { signal: stop.signal }).then(
      ({ data, errors }) => settle(() => ({ data, errors, failure: null, lost: false })),
      (failure) => settle((old) => (silent && old.data && passing.includes(failure.code)
        ? { lost: true } : { data: null, errors: [], failure, lost: false })),
    );
    return () => stop.abort();
  }, [key, turn]);
  const reload = () => again((n) => n + 1);
  const refresh = () => {
    quiet.current = true;
    reload();
  };
  return { ...state, reload, refresh };
}

/** Sends a query of one list until it has been read to its end; the answer holds all of its rows. */
async function whole(text, variables, options) {
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
 * Reads a whole list, page by page: for choices and sums. A quota of the store bounds its length.
 * @param {string} field the name of the list; empty reads nothing
 * @param {string} members what is read of each row
 * @returns what {@link useQuery} returns, with nodes, which is null until all rows are read
 */
export function useAll(field, members) {
  const text = field && `query All($after: String) { ${field}(first: 100, after: $after) {
    nodes { ${members} } pageInfo { hasNextPage endCursor } } }`;
  const query = useQuery(text, {}, whole);
  return { ...query, nodes: query.data?.[field].nodes ?? null };
}

/** The address bar: its path and query, and how to change it. */
export function useAddress() {
  const [at, set] = useState({ path: location.pathname, query: location.search });
  useEffect(() => {
    const read = () => set({ path: location.pathname, query: location.search });
    addEventListener('popstate', read);
    addEventListener('moved', read);
    return () => {
      removeEventListener('popstate', read);
      removeEventListener('moved', read);
    };
  }, []);
  return at;
}

/** The members of the query as an object of texts. */
export function useFilters() {
  const { query } = useAddress();
  return Object.fromEntries(new URLSearchParams(query));
}

/** The value of the last render, for effects that compare. */
export function useLast(value) {
  const ref = useRef(value);
  useEffect(() => {
    ref.current = value;
  });
  return ref.current;
}
