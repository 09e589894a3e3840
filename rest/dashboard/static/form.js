// Forms: fields with their errors beside them, and dialogs that hold a form.
import { html, createContext, useContext, useLayoutEffect, useRef, useState, useId } from './lib.js';
import { useApp } from './context.js';
import { Refused, Failure, mutation } from './api.js';
import { leave } from './leaving.js';
import { useUnsaved } from './unsaved.js';
import { Dialog, keepFocus } from './ui.js';
import { Icon } from './icons.js';
import { money, parseMoney, plain } from './money.js';

const FormContext = createContext({ errors: {}, busy: false, id: '', forget: () => {} });

/** An input that the page itself finds wrong, before anything is sent. */
export class Wrong extends Error {
  /** @param {string} field @param {string} message */
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/** Reads an amount, or names the field that holds none. */
export function amount(values, field, currency) {
  try {
    return parseMoney(values.get(field) ?? '', currency);
  } catch (e) {
    throw new Wrong(field, e.message);
  }
}

/** The text of a field; null when it is empty. */
export const text = (values, field) => values.get(field)?.trim() || null;

/** Tags that were typed, parted by commas. Those before, of which one may hold a comma, stay if nobody touched them. */
export const tags = (values, field, before = []) =>
  (values.get(field) === shownTags(before) ? before : lines(values, field, ','));

/** Tags as a field shows them. */
export const shownTags = (list) => (list ?? []).join(', ');

/** The lines of a field that are not empty. */
export const lines = (values, field, part = '\n') =>
  (values.get(field) ?? '').split(part).map((s) => s.trim()).filter(Boolean);

/**
 * Sorts errors to fields: "input.lines.0.quantity" to the field of that name,
 * or to the nearest one above it. What has no field stands above the form.
 */
export function sortErrors(errors, has) {
  const fields = {};
  const rest = [];
  for (const e of errors) {
    const path = (e.path ?? []).filter((p, i) => i > 0 || p !== 'input');
    while (path.length > 0 && !has(path.join('.'))) {
      path.pop();
    }
    if (path.length > 0) {
      (fields[path.join('.')] ??= []).push(e.message);
    } else {
      rest.push(e.message);
    }
  }
  return { fields, rest };
}

/** Every field that has to be filled in and is not, and those that say themselves what is wrong with them. */
function faults(form) {
  const wrong = [...form.elements].filter((e) => e.name && e.willValidate &&
    (e.validity.valueMissing || e.validity.customError));
  return Object.fromEntries(wrong.map((e) => [e.name,
    [e.validity.customError ? e.validationMessage : e.type === 'select-one' ? 'Choose an option.'
      : 'This field is required.']]));
}

/**
 * A form. The action gets the values and throws what is wrong with them: Wrong,
 * Refused or Failure. On version_mismatch onStale reads the newest state. Its end
 * stays in sight while something is not saved; reset empties what the page itself
 * keeps of it when that is discarded. What is kept while one types is never lost.
 */
export function Form({
  action, onStale, children, name, submit = 'Save', busyText = 'Saving', danger, cancel, keep = 'Cancel', extra, kept,
  reset,
}) {
  const ref = useRef(null);
  const id = useId();
  const { dirty, rebase, hold } = useUnsaved(ref, kept);
  const [begun, begin] = useState(0);
  const [state, set] = useState({ errors: {}, rest: [], busy: false, turn: 0 });
  const failed = (errors, rest) => set((s) => ({ errors, rest, busy: false, turn: s.turn + 1 }));
  const forget = (name) => set((s) => ({ ...s,
    errors: Object.fromEntries(Object.entries(s.errors).filter(([k]) => k !== name && !k.startsWith(name + '.'))),
  }));
  const send = async (e) => {
    e.preventDefault();
    if (state.busy) {
      return;
    }
    const missing = faults(ref.current);
    if (Object.keys(missing).length > 0) {
      failed(missing, []);
      return;
    }
    const values = new FormData(ref.current);
    set((s) => ({ ...s, errors: {}, rest: [], busy: true }));
    hold(true);
    try {
      await action(values);
      if (ref.current) {
        set((s) => ({ ...s, busy: false }));
        rebase();
      }
    } catch (err) {
      if (err instanceof Wrong) {
        failed({ [err.field]: [err.message] }, []);
      } else if (err instanceof Refused && err.stale && onStale) {
        failed({}, ['Someone else changed this while you were editing. Your changes are kept; other fields ' +
          'show the latest values. Review and save again.']);
        onStale(values);
      } else if (err instanceof Refused) {
        const { fields, rest } = sortErrors(err.errors, (f) => Boolean(ref.current?.elements.namedItem(f)));
        failed(fields, rest);
      } else if (err instanceof Failure) {
        failed({}, [err.message]);
      } else {
        failed({}, ['Something went wrong in the dashboard.']);
        throw err;
      }
    } finally {
      hold(false);
    }
  };
  const discard = () => {
    keepFocus();
    reset?.();
    begin(begun + 1);
    set((s) => ({ ...s, errors: {}, rest: [] }));
    rebase();
  };
  useLayoutEffect(() => {
    if (state.turn > 0) {
      (ref.current.querySelector('[aria-invalid="true"]') ?? ref.current.querySelector('.form-errors'))?.focus();
    }
  }, [state.turn]);
  const count = Object.keys(state.errors).length;
  return html`<form ref=${ref} onSubmit=${send} novalidate data-test=${name} aria-busy=${state.busy ? 'true' : 'false'}>
    <div class="form-errors" tabindex="-1" role="alert" data-test="form-errors">
      ${state.rest.length > 0 && html`<div class="alert bad"><${Icon} name="alert" />
        <div>${state.rest.map((m) => html`<p key=${m}>${m}</p>`)}</div></div>`}
      ${count > 0 && html`<p class="unseen">
        ${count === 1 ? 'One field needs attention.' : count + ' fields need attention.'}</p>`}
    </div>
    <${FormContext.Provider} key=${begun} value=${{ errors: state.errors, busy: state.busy, id, forget }}>
      ${children}<//>
    <div class=${dirty && !cancel ? 'form-end unsaved' : 'form-end'}>
      ${dirty && !cancel && html`<p class="grow" role="status">Unsaved changes</p>
        <button type="button" class="button" onClick=${discard} data-test="discard">Discard</button>`}
      ${extra}
      ${cancel && html`<button type="button" class="button" onClick=${cancel} data-test="keep">${keep}</button>`}
      <button type="submit" class=${'button ' + (danger ? 'danger' : 'primary')}
        aria-disabled=${state.busy ? 'true' : undefined} data-test="submit">
        ${state.busy ? busyText + '\u2026' : submit}</button>
    </div>
  </form>`;
}

/** What a field needs to be named, explained and found wrong. */
function useField(name, hint) {
  const { errors, id } = useContext(FormContext);
  const wrong = errors[name];
  const own = id + '-' + name;
  const described = [hint && own + '-hint', wrong && own + '-error'].filter(Boolean).join(' ');
  return {
    wrong, own,
    attributes: {
      id: own, name, 'aria-invalid': wrong ? 'true' : undefined, 'aria-describedby': described || undefined,
    },
  };
}

/** What is wrong with a field that draws itself. */
export const useWrong = (name) => useContext(FormContext).errors[name];

/** Forgets what is wrong with a field and those below it: rows that move have other names. */
export const useForget = () => useContext(FormContext).forget;

function Frame({ field, label, hint, optional, children }) {
  return html`<div class="field">
    <label for=${field.own}><bdi>${label}</bdi>${optional && html` <span class="muted">(optional)</span>`}</label>
    ${children}
    ${hint && html`<p class="hint" id=${field.own + '-hint'}>${hint}</p>`}
    ${field.wrong && html`<p class="wrong" id=${field.own + '-error'} data-test=${'error-' + field.attributes.name}>
      ${field.wrong.join(' ')}</p>`}
  </div>`;
}

/** A line of text, or another kind of input. */
export function Field({ name, label, hint, optional, value = '', type = 'text', ...rest }) {
  const field = useField(name, hint);
  return html`<${Frame} field=${field} label=${label} hint=${hint} optional=${optional}>
    <input type=${type} defaultValue=${value ?? ''} ...${field.attributes} ...${rest} /><//>`;
}

/** A longer text. */
export function Area({ name, label, hint, optional, value = '', rows = 4, ...rest }) {
  const field = useField(name, hint);
  return html`<${Frame} field=${field} label=${label} hint=${hint} optional=${optional}>
    <textarea rows=${rows} defaultValue=${value ?? ''} ...${field.attributes} ...${rest}></textarea><//>`;
}

/** One of several. @param {{options: [string, string][]}} props */
export function Select({ name, label, hint, optional, value = '', options, ...rest }) {
  const field = useField(name, hint);
  // A value that is not offered stays chosen: a form sends nothing that it did not show.
  const all = !value || options.some(([v]) => v === value) ? options : [[value, value], ...options];
  return html`<${Frame} field=${field} label=${label} hint=${hint} optional=${optional}>
    <select ...${field.attributes} ...${rest}>
      ${all.map(([v, t]) => html`<option key=${v} value=${v} selected=${v === (value ?? '')}>${t}</option>`)}
    </select><//>`;
}

/** An amount. Below it stands how it was understood. */
export function Amount({ name, label, hint, optional, minor, currency, ...rest }) {
  const field = useField(name, 'shown');
  const [typed, type] = useState(minor == null ? '' : plain(minor, currency));
  const ref = useRef(null);
  let [shown, fault] = [hint ?? '', ''];
  if (typed.trim()) {
    try {
      shown = money(parseMoney(typed, currency), currency);
    } catch (e) {
      shown = fault = e.message;
    }
  }
  useLayoutEffect(() => ref.current.setCustomValidity(fault), [fault]);
  return html`<${Frame} field=${field} label=${label} hint=${shown || '\u00a0'} optional=${optional}>
    <span class="amount"><span class="unit" aria-hidden="true">${currency}</span>
      <input type="text" inputmode="decimal" autocomplete="off" value=${typed} ref=${ref} required=${!optional}
        onInput=${(e) => type(e.target.value)} ...${field.attributes} ...${rest} /></span><//>`;
}

/** A box to tick. */
export function Check({ name, label, hint, value, ...rest }) {
  const field = useField(name, hint);
  return html`<div class="field tick">
    <input type="checkbox" defaultChecked=${value} ...${field.attributes} ...${rest} />
    <div><label for=${field.own}>${label}</label>${hint && html`<p class="hint" id=${field.own + '-hint'}>${hint}</p>`}
    ${field.wrong && html`<p class="wrong" id=${field.own + '-error'}>${field.wrong.join(' ')}</p>`}</div></div>`;
}

/** A dialog with one form. The action's end closes it; Escape asks before something typed is lost. */
export function FormDialog({ title, onClose, children, action, ...form }) {
  const run = async (values) => {
    const next = await action(values);
    if (next !== false) {
      onClose();
    }
  };
  return html`<${Dialog} title=${title} onClose=${onClose} close=${() => leave(onClose)} name=${form.name + '-dialog'}>
    <${Form} ...${form} action=${run} cancel=${onClose}>${children}<//><//>`;
}

/** A mutation that lives as long as its component, with its idempotency key. */
export function useMutation(document, options) {
  const ref = useRef(null);
  ref.current ??= mutation(document, options);
  return ref.current;
}

/** A button that does one thing at once and reports how it went; where run gives a function, that undoes it. */
export function ActionButton({ run, done, onStale, children, kind = '', ...rest }) {
  const { notify } = useApp();
  const [busy, set] = useState(false);
  const press = async () => {
    if (busy) {
      return;
    }
    keepFocus();
    set(true);
    try {
      const undo = await run();
      notify(done, 'good', typeof undo === 'function' ? undo : undefined);
    } catch (err) {
      if (!(err instanceof Refused || err instanceof Failure)) {
        throw err;
      }
      if (err.stale && onStale) {
        onStale();
        notify('Someone else changed this in the meantime. You now see the latest version.', 'bad');
      } else {
        notify(err.message, 'bad');
      }
    } finally {
      set(false);
    }
  };
  return html`<button type="button" class=${'button ' + kind} aria-disabled=${busy ? 'true' : undefined}
    onClick=${press} ...${rest}>${children}</button>`;
}

/** Asks before something that cannot be taken back. */
export function Confirm({ title, children, action, onClose, onStale, name, submit, danger = true }) {
  return html`<${FormDialog} title=${title} onClose=${onClose} onStale=${onStale} action=${action} name=${name}
    submit=${submit} busyText="Working" danger=${danger}>${children}<//>`;
}
