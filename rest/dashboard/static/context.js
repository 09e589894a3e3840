// What every page knows: who asks, in which store, and how to tell him something.
import { createContext, useContext, useEffect, useRef, useState } from './lib.js';
import { send } from './api.js';

/**
 * @typedef {object} App
 * @property {{id: string, name: string, email: string, role: string, memberships: any[]}} account
 * @property {{id: string, name: string, currency: string, timezone: string, version: number}} store
 * @property {(what: string) => boolean} can whether the person's role reaches something
 * @property {string} zone the store's time zone
 * @property {(text: string, tone?: 'good'|'bad') => void} tell shows and reads out a sentence
 * @property {() => void} refresh reads account and store again
 * @property {(n: number) => void} setUnread
 */

export const AppContext = createContext(/** @type {App} */ (null));

/** @returns {App} */
export const useApp = () => useContext(AppContext);

/**
 * Reads with a query, again whenever the query or its variables change. While
 * it reads again the last answer stays. Without a text it reads nothing.
 */
export function useQuery(text, variables = {}) {
  const [state, set] = useState({ data: null, errors: [], failure: null, loading: true });
  const [turn, again] = useState(0);
  const key = text + JSON.stringify(variables);
  useEffect(() => {
    if (!text) {
      set({ data: null, errors: [], failure: null, loading: false });
      return undefined;
    }
    const stop = new AbortController();
    set((old) => ({ ...old, loading: true }));
    send(text, variables, { signal: stop.signal }).then(
      ({ data, errors }) => set({ data, errors, failure: null, loading: false }),
      (failure) => stop.signal.aborted || set({ data: null, errors: [], failure, loading: false }),
    );
    return () => stop.abort();
  }, [key, turn]);
  return { ...state, reload: () => again((n) => n + 1) };
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

/** Goes to another address of the dashboard. */
export function go(address, { replace = false } = {}) {
  const path = location.pathname;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  if (location.pathname !== path) {
    scrollTo(0, 0);
  }
  dispatchEvent(new Event('moved'));
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
