// Selecting rows of a list and running an action on them.
import { html, useEffect, useRef, useState } from './lib.js';
import { messageOf, mutation, send } from './api.js';
import { useApp } from './context.js';
import { Dialog, Button } from './ui.js';
import { Field, Form, lines } from './form.js';
import { Icon } from './icons.js';

/** The maximum number of rows that an action runs on. */
export const maxBulk = 250;

/**
 * The selected rows of a page of a list. Another page starts with none. take selects rows of all
 * pages.
 * @returns {{has: (id: string) => boolean, toggle: (ids: string[], on: boolean) => void, clear: () => void,
 *   take: (rows: any[]) => void, rows: any[], name: (row: any) => string}}
 */
export function useSelection(nodes = [], page, name) {
  const [{ ids, of, more }, setState] = useState({ ids: new Set(), of: page, more: [] });
  const now = of === page ? ids : new Set();
  const known = new Set(nodes.map((r) => r.id));
  const others = of === page ? more.filter((r) => !known.has(r.id)) : [];
  const set = (chosen, rows = others) => setState({ ids: new Set(chosen), of: page, more: rows });
  return {
    has: (id) => now.has(id), name, rows: [...nodes, ...others].filter((r) => now.has(r.id)),
    clear: () => set([], []),
    take: (rows) => set(rows.map((r) => r.id), rows),
    toggle: (some, on) => set([...now].filter((id) => !some.includes(id)).concat(on ? some : [])),
  };
}

/** Selects all rows that a list finds, up to the maximum. text is the query of the list. */
export function SelectFound({ text, variables, pick, selection }) {
  const app = useApp();
  const [busy, setBusy] = useState(false);
  const read = async () => {
    const rows = [];
    let page;
    do {
      const { data, errors } = await send(text, { ...variables, after: page?.endCursor ?? null, first: 100 });
      if (!pick(data)) {
        throw errors[0];
      }
      rows.push(...pick(data).nodes);
      page = pick(data).pageInfo;
    } while (page.hasNextPage && rows.length < maxBulk);
    return { rows: rows.slice(0, maxBulk), more: page.hasNextPage || rows.length > maxBulk };
  };
  const act = async () => {
    if (busy) {
      return;
    }
    setBusy(true);
    try {
      const { rows, more } = await read();
      selection.take(rows);
      app.notify(more ? `The first ${maxBulk} are selected, the maximum at once.` : 'All found are selected.');
    } catch (err) {
      app.notify(messageOf(err), 'bad');
    } finally {
      setBusy(false);
    }
  };
  return html`<${Button} kind="small" act=${act} aria-disabled=${busy ? 'true' : undefined}
    test="bulk-found">Select all found<//>`;
}

/** Actions on the selected rows, in a bar that stays visible below the list. found selects further rows. */
export function BulkBar({ selection, actions, found }) {
  const count = selection.rows.length;
  return count > 0 && html`<div class="bulk" role="region" aria-label="Selected rows" data-test="bulk">
    <p class="grow" role="status">${count} selected</p>
    ${found}
    ${actions.filter(Boolean).map((a) => html`<${Button} kind="small" key=${a.name} act=${a.act}
      test=${'bulk-' + a.name}>${a.text}<//>`)}
    <${Button} kind="small quiet" act=${selection.clear} test="bulk-clear">Clear<//>
  </div>`;
}

/**
 * Runs an action on one row after another and records each result.
 * @param {(row: any, values: FormData) => Promise<string|undefined>} act
 */
function useRunEach(act) {
  const stop = useRef(false);
  const [state, setState] = useState({ phase: 'ready', results: {} });
  useEffect(() => () => {
    stop.current = true; // the dialog was closed
  }, []);
  const start = async (rows, values) => {
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

/** Returns a function that runs mutations. Each row and document keeps its idempotency key until it is answered. */
function useKeptMutations() {
  const kept = useRef(new Map());
  return (row, document, variables) => {
    const key = row.id + document;
    if (!kept.current.has(key)) {
      kept.current.set(key, mutation(document));
    }
    return kept.current.get(key)(variables);
  };
}

/**
 * A dialog that runs an action on the selected rows, or on the rows that prepare returns from the
 * form's values; prepare throws a FieldError if they are invalid. act gets the row, the form's
 * values and a function that runs a mutation. It may return the text of the result.
 */
export function Bulk({ title, submit, name, selection, act, prepare, children, changed, onClose }) {
  const [rows, setRows] = useState(prepare ? [] : selection.rows); // unaffected by reloads of the list
  const mutate = useKeptMutations();
  const { phase, results, start, halt } = useRunEach((row, values) =>
    act(row, values, (document, variables) => mutate(row, document, variables)));
  const [values, setValues] = useState(null);
  const run = async (v) => {
    const all = prepare ? await prepare(v) : rows;
    setRows(all);
    setValues(v);
    start(all, v);
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
      <${Form} name=${name} submit=${submit} cancel=${close} action=${run} busyText="Checking">${children}
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
      ${phase === 'ended' && ended - failed < rows.length && html`<${Button} act=${() => start(rows, values)}
        test="bulk-again">Retry the rest<//>`}
      ${phase === 'ended' && html`<${Button} kind="primary" act=${close} test="bulk-done">Close<//>`}
    </div><//>`;
}

/** Adds tags to the selected rows, and removes some, with an update mutation. */
export function BulkTags({ document, ...rest }) {
  const act = async (row, values, run) => {
    const removed = lines(values, 'remove', ',').map((t) => t.toLowerCase());
    const kept = row.tags.filter((t) => !removed.includes(t.toLowerCase()));
    const tags = [...new Set([...kept, ...lines(values, 'tags', ',')])];
    if (tags.join('\n') === row.tags.join('\n')) {
      return 'Nothing to change';
    }
    await run(document, { id: row.id, expectedVersion: row.version, input: { tags } });
    return undefined;
  };
  return html`<${Bulk} title="Change tags" submit="Change tags" name="bulk-tags" act=${act} ...${rest}>
    <${Field} name="tags" label="Add" optional hint="Separate tags with commas. Other tags are kept."
      autocomplete="off" />
    <${Field} name="remove" label="Remove" optional hint="Separate tags with commas." autocomplete="off" /><//>`;
}
