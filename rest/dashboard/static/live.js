// Pages that change by themselves while something is on its way.
import { html, useEffect, useRef } from './lib.js';
import { Alert } from './ui.js';

const second = 1000;

/**
 * Reads a query again, a second after each answer, as long as something is on
 * its way and somebody looks at the page. Without a connection it asks less.
 */
export function usePoll(query, busy) {
  const latest = useRef(query);
  latest.current = query;
  useEffect(() => {
    if (!busy) {
      return undefined;
    }
    let timer = 0;
    const plan = (wait) => {
      clearTimeout(timer);
      if (!document.hidden) {
        timer = setTimeout(() => latest.current.refresh(), wait);
      }
    };
    const seen = () => plan(0);
    plan(query.lost ? 5 * second : second);
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [busy, query.answers]);
}

/** Says that what is shown may be old. */
export function Lost({ query }) {
  return html`<div role="status">${query.lost && html`<${Alert} tone="info">
    The server could not be reached. What you see may be old; it is asked again every few seconds.<//>`}</div>`;
}

/**
 * Calls back for each row whose status is no longer what it was when it was
 * last seen.
 * @param {{id: string, status: string}[]} rows
 * @param {(row: any, before: string) => void} moved
 */
export function useMoved(rows, moved) {
  const known = useRef(new Map());
  useEffect(() => {
    for (const r of rows) {
      const before = known.current.get(r.id);
      known.current.set(r.id, r.status);
      if (before && before !== r.status) {
        moved(r, before);
      }
    }
  }, [rows]);
}
