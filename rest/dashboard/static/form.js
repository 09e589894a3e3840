// Forms: fields with their errors next to them, and dialogs with a form.
import { html, createContext, useContext, useLayoutEffect, useRef, useState, useId } from './lib.js';
import { useApp } from './context.js';
import { Refused, Failure, messageOf, mutation } from './api.js';
import { leave } from './leaving.js';
import { useUnsaved } from './unsaved.js';
import { Dialog, Button, keepFocus } from './ui.js';
import { Icon } from './icons.js';
import { money, parseMoney, plain } from './money.js';

/** The selection of user errors in a mutation document. */
export const errors = 'userErrors { code message path }';

/** A mutation that changes one version of a resource and needs nothing else. result selects its payload. */
export const transition = (name, result) => `mutation Change($id: ID!, $expectedVersion: Long!) {
  ${name}(id: $id, expectedVersion: $expectedVersion) { ${result} ${errors} } }`;

const FormContext = createContext({ errors: {}, busy: false, id: '', clearErrors: () => {}, turn: () => {} });

/** An input error that is found before anything is sent. */
export class FieldError extends Error {
  /** @param {string} field @param {string} message */
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/** Reads an amount. Throws a FieldError if it is invalid. */
export function amount(values, field, currency) {
  try {
    return parseMoney(values.get(field) ?? '', currency);
  } catch (e) {
    throw new FieldError(field, e.message);
  }
}

/** The trimmed text of a field; null if it is empty. */
export const text = (values, field) => values.get(field)?.trim() || null;

export const optionalAmount = (values, field, currency) =>
  (text(values, field) ? amount(values, field, currency) : null);

/** Reads a whole number; null if the field is empty. */
export function optionalNumber(values, field) {
  const typed = text(values, field);
  if (typed && !/^\d{1,10}$/.test(typed)) {
    throw new FieldError(field, 'Enter a whole number, or leave this empty.');
  }
  return typed && Number(typed);
}

/** Tags separated by commas. An unchanged field returns before as it is, because a tag may contain a comma. */
export const tags = (values, field, before = []) =>
  (values.get(field) === tagsText(before) ? before : lines(values, field, ','));

export const tagsText = (list) => (list ?? []).join(', ');

/** Runs act when Enter is pressed in a field, instead of submitting its form. */
export const onEnter = (act) => (e) => {
  if (e.key === 'Enter') {
    e.preventDefault();
    act(e);
  }
};

/** The non-empty lines of a field. */
export const lines = (values, field, part = '\n') =>
  (values.get(field) ?? '').split(part).map((s) => s.trim()).filter(Boolean);

/**
 * Assigns errors to fields: "input.lines.0.quantity" to the field of that name, or to the closest
 * one above it. Errors without a field are shown above the form.
 */
function sortErrors(errors, has) {
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

/** Returns errors of required fields that are empty and of fields with a custom validity. */
function invalidFields(form) {
  const wrong = [...form.elements].filter((e) => e.name && e.willValidate &&
    (e.validity.valueMissing || e.validity.customError));
  return Object.fromEntries(wrong.map((e) => [e.name,
    [e.validity.customError ? e.validationMessage : e.type === 'select-one' ? 'Choose an option.'
      : 'This field is required.']]));
}

/**
 * A form. action gets the values and throws FieldError, Refused or Failure. After a
 * version_mismatch, onStale reads the latest version. While there are unsaved changes, the buttons
 * stay visible; reset restores state outside the form when they are discarded. autosaved forms are
 * saved while the person types and never ask before leaving.
 */
export function Form({
  action, onStale, children, name, submit = 'Save', busyText = 'Saving', danger, cancel, cancelText = 'Cancel', extra,
  autosaved, reset,
}) {
  const ref = useRef(null);
  const id = useId();
  const { dirty, rebase, hold: setSending } = useUnsaved(ref, autosaved);
  const [resetCount, setResetCount] = useState(0);
  const [state, setState] = useState({ errors: {}, rest: [], busy: false, turn: 0 });
  const failed = (errors, rest) => setState((s) => ({ errors, rest, busy: false, turn: s.turn + 1 }));
  const clearErrors = (name) => setState((s) => ({ ...s,
    errors: Object.fromEntries(Object.entries(s.errors).filter(([k]) => k !== name && !k.startsWith(name + '.'))),
  }));
  const send = async (e) => {
    e.preventDefault();
    if (state.busy) {
      return;
    }
    const missing = invalidFields(ref.current);
    if (Object.keys(missing).length > 0) {
      failed(missing, []);
      return;
    }
    const values = new FormData(ref.current);
    setState((s) => ({ ...s, errors: {}, rest: [], busy: true }));
    setSending(true);
    try {
      await action(values);
      if (ref.current) {
        setState((s) => ({ ...s, busy: false }));
        rebase();
      }
    } catch (err) {
      if (err instanceof FieldError) {
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
      setSending(false);
    }
  };
  const discard = () => {
    keepFocus();
    reset?.();
    setResetCount(resetCount + 1);
    setState((s) => ({ ...s, errors: {}, rest: [] }));
    rebase();
  };
  useLayoutEffect(() => {
    if (state.turn > 0) { // a microtask later, the fields know their errors
      queueMicrotask(() => (ref.current?.querySelector('[aria-invalid="true"]') ??
        ref.current?.querySelector('.form-errors'))?.focus());
    }
  }, [state.turn]);
  const count = Object.keys(state.errors).length;
  return html`<form ref=${ref} onSubmit=${send} novalidate data-test=${name} aria-busy=${state.busy ? 'true' : 'false'}>
    <div class="form-errors" tabindex="-1" role="alert" data-test="form-errors">
      ${state.rest.length > 0 && html`<div class="alert bad"><${Icon} name="alert" />
        <div>${state.rest.map((m) => html`<p key=${m}>${m}</p>`)}</div></div>`}
      ${count > 0 && html`<p class="visually-hidden">
        ${count === 1 ? 'One field needs attention.' : count + ' fields need attention.'}</p>`}
    </div>
    <${FormContext.Provider} key=${resetCount} value=${{ errors: state.errors, busy: state.busy, id, clearErrors,
      turn: () => dirty || requestAnimationFrame(() => requestAnimationFrame(rebase)) }}>
      ${children}<//>
    <div class=${dirty && !cancel ? 'form-end unsaved' : 'form-end'}>
      ${dirty && !cancel && html`<p class="grow" role="status">Unsaved changes</p>
        <${Button} act=${discard} test="discard">Discard<//>`}
      ${extra}
      ${cancel && html`<${Button} act=${cancel} test="keep">${cancelText}<//>`}
      <button type="submit" class=${'button ' + (danger ? 'danger' : 'primary')}
        aria-disabled=${state.busy ? 'true' : undefined} data-test="submit">
        ${state.busy ? busyText + '\u2026' : submit}</button>
    </div>
  </form>`;
}

/** The error of a field and its HTML attributes. */
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

/** The error of a field that renders itself. */
export const useFieldError = (name) => useContext(FormContext).errors[name];

/** Returns a function to call before a form shows other fields: that is not an unsaved change. */
export const useTurn = () => useContext(FormContext).turn;

/** Returns a function that clears the errors of a field and of those below it, for rows that are renumbered. */
export const useClearErrors = () => useContext(FormContext).clearErrors;

function Frame({ field, label, hint, optional, children }) {
  return html`<div class="field">
    <label for=${field.own}><bdi>${label}</bdi>${optional && html` <span class="muted">(optional)</span>`}</label>
    ${children}
    ${hint && html`<p class="hint" id=${field.own + '-hint'}>${hint}</p>`}
    ${field.wrong && html`<p class="wrong" id=${field.own + '-error'} data-test=${'error-' + field.attributes.name}>
      ${field.wrong.join(' ')}</p>`}
  </div>`;
}

export function Field({ name, label, hint, optional, value = '', type = 'text', ...rest }) {
  const field = useField(name, hint);
  return html`<${Frame} field=${field} label=${label} hint=${hint} optional=${optional}>
    <input type=${type} defaultValue=${value ?? ''} ...${field.attributes} ...${rest} /><//>`;
}

export function Area({ name, label, hint, optional, value = '', rows = 4, tools, ...rest }) {
  const field = useField(name, hint);
  return html`<${Frame} field=${field} label=${label} hint=${hint} optional=${optional}>
    ${tools}<textarea rows=${rows} defaultValue=${value ?? ''} ...${field.attributes} ...${rest}></textarea><//>`;
}

/** A select. @param {{options: [string, string][]}} props */
export function Select({ name, label, hint, optional, value = '', options, ...rest }) {
  const field = useField(name, hint);
  // Keep a value that is not an option, so that the form does not change it.
  const all = !value || options.some(([v]) => v === value) ? options : [[value, value], ...options];
  return html`<${Frame} field=${field} label=${label} hint=${hint} optional=${optional}>
    <select ...${field.attributes} ...${rest}>
      ${all.map(([v, t]) => html`<option key=${v} value=${v} selected=${v === (value ?? '')}>${t}</option>`)}
    </select><//>`;
}

/** The text of an amount in a field. */
export const amountText = (minor, currency) => (minor == null ? '' : plain(minor, currency));

/** An amount, with the parsed value below it. value is its text, instead of minor. */
export function Amount({ name, label, hint, optional, minor, value, currency, ...rest }) {
  const field = useField(name, 'shown');
  const [typed, setTyped] = useState(value ?? amountText(minor, currency));
  const ref = useRef(null);
  let [shown, error] = [hint ?? '', ''];
  if (typed.trim()) {
    try {
      shown = money(parseMoney(typed, currency), currency);
    } catch (e) {
      shown = error = e.message;
    }
  }
  useLayoutEffect(() => ref.current.setCustomValidity(error), [error]);
  return html`<${Frame} field=${field} label=${label} hint=${shown || '\u00a0'} optional=${optional}>
    <span class="amount"><span class="unit" aria-hidden="true">${currency}</span>
      <input type="text" inputmode="decimal" autocomplete="off" value=${typed} ref=${ref} required=${!optional}
        onInput=${(e) => setTyped(e.target.value)} ...${field.attributes} ...${rest} /></span><//>`;
}

export function Check({ name, label, hint, value, ...rest }) {
  const field = useField(name, hint);
  return html`<div class="field tick">
    <input type="checkbox" defaultChecked=${value} ...${field.attributes} ...${rest} />
    <div><label for=${field.own}>${label}</label>${hint && html`<p class="hint" id=${field.own + '-hint'}>${hint}</p>`}
    ${field.wrong && html`<p class="wrong" id=${field.own + '-error'}>${field.wrong.join(' ')}</p>`}</div></div>`;
}

/** A dialog with a form. It closes after the action; Escape asks first if there are unsaved changes. */
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

/** A mutation with the component's lifetime, which keeps its idempotency key. */
export function useMutation(document, options) {
  const ref = useRef(null);
  ref.current ??= mutation(document, options);
  return ref.current;
}

/**
 * The action of a form that runs one mutation: input returns its variables, done is the toast or
 * returns it from the variables and the payload, and changed gets the payload.
 */
export function useAction(document, input, done, changed, options) {
  const { notify } = useApp();
  const run = useMutation(document, options);
  return async (values) => {
    const variables = input(values);
    const payload = await run(variables);
    notify(typeof done === 'function' ? done({ ...variables, ...payload }) : done);
    changed?.(payload);
  };
}

/** A button that runs an action and reports the result. If run returns a function, the toast offers it as Undo. */
export function ActionButton({ run, done, onStale, children, kind = '', ...rest }) {
  const { notify } = useApp();
  const [busy, setBusy] = useState(false);
  const press = async () => {
    if (busy) {
      return;
    }
    keepFocus();
    setBusy(true);
    try {
      const undo = await run();
      notify(done, 'good', typeof undo === 'function' ? undo : undefined);
    } catch (err) {
      const message = messageOf(err);
      if (err.stale && onStale) {
        onStale();
        notify('Someone else changed this in the meantime. You now see the latest version.', 'bad');
      } else {
        notify(message, 'bad');
      }
    } finally {
      setBusy(false);
    }
  };
  return html`<${Button} kind=${kind} aria-disabled=${busy ? 'true' : undefined} act=${press}
    ...${rest}>${children}<//>`;
}

export const Confirm = ({ danger = true, ...dialog }) => html`<${FormDialog} busyText="Working" danger=${danger}
  ...${dialog} />`;

/**
 * A dialog that asks for confirmation, runs a mutation, reports done and calls changed. onStale is
 * called if someone else changed the resource meanwhile.
 */
export function ConfirmMutation({ document, variables, done, changed, onStale = changed, ...dialog }) {
  const action = useAction(document, () => variables, done, () => changed?.());
  return html`<${Confirm} action=${action} onStale=${onStale} ...${dialog} />`;
}
