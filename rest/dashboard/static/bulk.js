// Rows that are chosen in a list, and one thing done to all of them.
import { html, useEffect, useRef, useState } from './lib.js';
import { Failure, Refused, mutation } from './api.js';
import { Dialog } from './ui.js';
import { Field, Form, lines } from './form.js';
import { Icon } from './icons.js';

/**
 * Which rows of a page are chosen; another page begins with none.
 * @returns {{has: (id: string) => boolean, toggle: (ids: string[], on: boolean) => void, clear: () => void,
 *   rows: any[], name: (row: any) => string}}
 */
export function usePicked(nodes = [], page, name) {
  const [{ ids, of }, set] = useState({ ids: new Set(), of: page });
  const now = of === page ? ids : new Set();
  return {
    has: (id) => now.has(id), name, rows: nodes.filter((r) => now.has(r.id)),
    clear: () => set({ ids: new Set(), of: page }),
    toggle: (some, on) => set({ ids: new Set([...now].filter((id) => !some.includes(id)).concat(on ? some : [])),
      of: page }),
  };
}

/** What can be done to the chosen rows; it stays in sight below them. */
export function BulkBar({ picked, actions }) {
  const count = picked.rows.length;
  return count > 0 && html`<div class="bulk" role="region" aria-label="Selected rows" data-test="bulk">
    <p class="grow" role="status">${count} chosen</p>
    ${actions.filter(Boolean).map((a) => html`<button type="button" class="button small" key=${a.name}
      onClick=${a.act} data-test=${'bulk-' + a.name}>${a.text}</button>`)}
    <button type="button" class="button small quiet" onClick=${picked.clear} data-test="bulk-clear">Clear</button>
  </div>`;
}

/**
 * Does one thing to each row, one after the other, and records the result of each.
 * @param {any[]} rows
 * @param {(row: any) => Promise<void>} act
 */
function useEach(rows, act) {
  const stop = useRef(false);
  const [state, set] = useState({ phase: 'ready', results: {} });
  useEffect(() => () => {
    stop.current = true; // the dialog is closed: no further one begins
  }, []);
  const start = async (values) => {
    stop.current = false;
    let results = Object.fromEntries(Object.entries(state.results).filter(([, t]) => t.done));
    set({ phase: 'busy', results });
    for (const row of rows.filter((r) => !results[r.id])) {
      if (stop.current) {
        break;
      }
      let how = { done: true, text: 'Done' };
      try {
        how.text = (await act(row, values)) ?? how.text;
      } catch (err) {
        if (!(err instanceof Refused || err instanceof Failure)) {
          throw err;
        }
        how = { done: false, text: err.message };
      }
      results = { ...results, [row.id]: how };
      set({ phase: 'busy', results });
    }
    set({ phase: 'ended', results });
  };
  const halt = () => {
    stop.current = true;
  };
  return { ...state, start, halt };
}

/**
 * A dialog that does one thing to the chosen rows: act gets the row, what was entered and how a mutation is run,
 * and says how it went where that is not just done.
 */
export function Bulk({ title, submit, name, picked, act, children, changed, onClose }) {
  const [rows] = useState(picked.rows); // as they were chosen, whatever the list reads meanwhile
  const { phase, results, start, halt } = useEach(rows, (row, values) =>
    act(row, values, (document, variables) => mutation(document)(variables)));
  const [values, keep] = useState(null);
  const run = (v) => {
    keep(v);
    start(v);
  };
  const close = () => {
    if (phase !== 'ready') {
      changed();
    }
    onClose();
  };
  const failed = rows.filter((r) => results[r.id] && !results[r.id].done).length;
  const ended = rows.filter((r) => results[r.id]).length;
  if (phase === 'ready') {
    return html`<${Dialog} title=${title} onClose=${close} name=${name + '-dialog'}>
      <${Form} name=${name} submit=${submit} cancel=${close} action=${async (v) => run(v)}>${children}
        <ul class="results">${rows.map((r) => html`<li key=${r.id}><bdi>${picked.name(r)}</bdi></li>`)}</ul><//><//>`;
  }
  return html`<${Dialog} title=${title} onClose=${close} name=${name + '-dialog'}>
    <div class="progress" role="status"><progress max=${rows.length} value=${ended} aria-label=${title} />
      <p class="progress-text"><span data-test="bulk-progress">${ended} of ${rows.length}</span>
        <span>${failed > 0 && failed + ' failed'}</span></p></div>
    <ul class="results" data-test="bulk-results">${rows.map((r) => html`<li key=${r.id}>
      <${Icon} name=${!results[r.id] ? 'more' : results[r.id].done ? 'check' : 'alert'} size="16" />
      <bdi>${picked.name(r)}</bdi>
      <span class=${results[r.id]?.done === false ? 'none' : 'muted'}>
        ${results[r.id]?.text ?? 'Waiting'}</span></li>`)}</ul>
    <div class="form-end under">
      ${phase === 'busy' && html`<button type="button" class="button" onClick=${halt}
        data-test="bulk-stop">Stop</button>`}
      ${phase === 'ended' && ended - failed < rows.length && html`<button type="button" class="button"
        onClick=${() => start(values)} data-test="bulk-again">Retry the rest</button>`}
      ${phase === 'ended' && html`<button type="button" class="button primary" onClick=${close}
        data-test="bulk-done">Close</button>`}
    </div><//>`;
}

/** Adds tags to the chosen rows, each of which has its tags and version, by a mutation that sets all of them. */
export function BulkTags({ document, ...rest }) {
  const act = async (row, values, run) => {
    const tags = [...new Set([...row.tags, ...lines(values, 'tags', ',')])];
    if (tags.length === row.tags.length) {
      return 'Already tagged';
    }
    await run(document, { id: row.id, expectedVersion: row.version, input: { tags } });
    return undefined;
  };
  return html`<${Bulk} title="Add tags" submit="Add tags" name="bulk-tags" act=${act} ...${rest}>
    <${Field} name="tags" label="Tags" required hint="Separate tags with commas. Existing tags are kept."
      autocomplete="off" /><//>`;
}
