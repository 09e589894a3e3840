// Selecting rows of a list and running an action on them.
import { html, useEffect, useRef, useState } from './lib.js';
import { messageOf, mutation } from './api.js';
import { Dialog, Button } from './ui.js';
import { Field, Form, lines } from './form.js';
import { Icon } from './icons.js';

/**
 * The selected rows of a page of a list. Another page starts with none.
 * @returns {{has: (id: string) => boolean, toggle: (ids: string[], on: boolean) => void, clear: () => void,
 *   rows: any[], name: (row: any) => string}}
 */
export function useSelection(nodes = [], page, name) {
  const [{ ids, of }, setState] = useState({ ids: new Set(), of: page });
  const now = of === page ? ids : new Set();
  return {
    has: (id) => now.has(id), name, rows: nodes.filter((r) => now.has(r.id)),
    clear: () => setState({ ids: new Set(), of: page }),
    toggle: (some, on) => setState({ ids: new Set([...now].filter((id) => !some.includes(id)).concat(on ? some : [])),
      of: page }),
  };
}

/** Actions on the selected rows, in a bar that stays visible below the list. */
export function BulkBar({ selection, actions }) {
  const count = selection.rows.length;
  return count > 0 && html`<div class="bulk" role="region" aria-label="Selected rows" data-test="bulk">
    <p class="grow" role="status">${count} selected</p>
    ${actions.filter(Boolean).map((a) => html`<${Button} kind="small" key=${a.name} act=${a.act}
      test=${'bulk-' + a.name}>${a.text}<//>`)}
    <${Button} kind="small quiet" act=${selection.clear} test="bulk-clear">Clear<//>
  </div>`;
}

/**
 * Runs an action on one row after another and records each result.
 * @param {any[]} rows
 * @param {(row: any, values: FormData) => Promise<string|undefined>} act
 */
function useRunEach(rows, act) {
  const stop = useRef(false);
  const [state, setState] = useState({ phase: 'ready', results: {} });
  useEffect(() => () => {
    stop.current = true; // the dialog was closed
  }, []);
  const start = async (values) => {
    stop.current = false;
    let results = Object.fromEntries(Object.entries(state.results).filter(([, t]) => t.done));
    setState({ phase: 'busy', results });
    for (const row of rows.filter((r) => !results[r.id])) {
      if (stop.current) {
        break;
      }
      let how = { done: true, text: 'Done' };
      try {
        how.text = (await act(row, values)) ?? how.text;
      } catch (err) {
        how = { done: false, text: messageOf(err) };
      }
      results = { ...results, [row.id]: how };
      setState({ phase: 'busy', results });
    }
    setState({ phase: 'ended', results });
  };
  const cancel = () => {
    stop.current = true;
  };
  return { ...state, start, halt: cancel };
}

/**
 * A dialog that runs an action on the selected rows. act gets the row, the form's values and a
 * function that runs a mutation. It may return the text of the result.
 */
export function Bulk({ title, submit, name, selection, act, children, changed, onClose }) {
  const [rows] = useState(selection.rows); // unaffected by reloads of the list
  const { phase, results, start, halt } = useRunEach(rows, (row, values) =>
    act(row, values, (document, variables) => mutation(document)(variables)));
  const [values, setValues] = useState(null);
  const run = (v) => {
    setValues(v);
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
        <ul class="results">${rows.map((r) => html`<li
          key=${r.id}><bdi>${selection.name(r)}</bdi></li>`)}</ul><//><//>`;
  }
  return html`<${Dialog} title=${title} onClose=${close} name=${name + '-dialog'}>
    <div class="progress" role="status"><progress max=${rows.length} value=${ended} aria-label=${title} />
      <p class="progress-text"><span data-test="bulk-progress">${ended} of ${rows.length}</span>
        <span>${failed > 0 && failed + ' failed'}</span></p></div>
    <ul class="results" data-test="bulk-results">${rows.map((r) => html`<li key=${r.id}>
      <${Icon} name=${!results[r.id] ? 'more' : results[r.id].done ? 'check' : 'alert'} size="16" />
      <bdi>${selection.name(r)}</bdi>
      <span class=${results[r.id]?.done === false ? 'critical' : 'muted'}>
        ${results[r.id]?.text ?? 'Waiting'}</span></li>`)}</ul>
    <div class="form-end under">
      ${phase === 'busy' && html`<${Button} act=${halt} test="bulk-stop">Stop<//>`}
      ${phase === 'ended' && ended - failed < rows.length && html`<${Button} act=${() => start(values)}
        test="bulk-again">Retry the rest<//>`}
      ${phase === 'ended' && html`<${Button} kind="primary" act=${close} test="bulk-done">Close<//>`}
    </div><//>`;
}

/** Adds tags to the selected rows with an update mutation. */
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
