// Pages that refresh while something is in progress.
import { html, useEffect, useRef } from './lib.js';
import { Alert } from './ui.js';

const second = 1000;

/** Refreshes a query one second after each answer while busy and the page is visible, and less often while offline. */
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

export function ConnectionLost({ query }) {
  return html`<div role="status">${query.lost && html`<${Alert} tone="info">
    The server could not be reached. This page may be out of date. It retries every few seconds.<//>`}</div>`;
}

/**
 * Calls changed for each row whose status differs from the last render.
 * @param {{id: string, status: string}[]} rows
 * @param {(row: any, before: string) => void} changed
 */
export function useStatusChange(rows, changed) {
  const known = useRef(new Map());
  useEffect(() => {
    for (const r of rows) {
      const before = known.current.get(r.id);
      known.current.set(r.id, r.status);
      if (before && before !== r.status) {
        changed(r, before);
      }
    }
  }, [rows]);
}
