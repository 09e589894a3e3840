// Rows of an endpoint's form: custom headers and conditions.
import { html, useState } from './lib.js';
import { Area, Field, Select, FieldError, lines, text } from './form.js';
import { Rows, rowsOf } from './rows.js';

/** Custom headers. Stored values are kept unless the URL's origin changes. */
export function Headers({ initial = [], moved }) {
  return html`<${Rows} name="headers" legend="Custom headers" one="Header" max="10" initial=${initial ?? []}
    row=${Header} moved=${moved} hint=${'Sent with every delivery. For example, a token that your receiver requires. ' +
      'Values are stored encrypted and not shown again.' +
      (initial ? '' : ' The current headers can no longer be decrypted. Enter them again.')} />`;
}

function Header({ at, of, moved }) {
  const hint = of.name && (moved ? 'The URL has another host. Enter the value again.'
    : (of.valueHint ? 'It ends in ' + of.valueHint + '.' : 'A value is set.') + ' Leave empty to keep it.');
  return html`<div class="pair">
    <${Field} name=${at + '.name'} label="Name" value=${of.name} required maxlength="64" autocomplete="off"
      spellcheck=${false} />
    <${Field} name=${at + '.value'} label="Value" hint=${hint} maxlength="1024" autocomplete="off"
      spellcheck=${false} /></div>`;
}

/** Reads the headers. One without a value keeps the stored one. */
export const headersOf = (values) => rowsOf(values, 'headers', '.name', (at) => ({
  name: text(values, at + '.name') ?? '', value: text(values, at + '.value') ?? undefined,
}));

export const headersChanged = (headers, known) =>
  headers.length !== (known ?? []).length || headers.some((h, i) => h.value != null || h.name !== known[i].name);

const tests = [
  ['in', 'is one of'], ['notIn', 'is none of'], ['range', 'is a number in a range'], ['exists', 'is present'],
  ['absent', 'is missing'], ['changed', 'has changed'], ['same', 'has not changed'],
];

function testOf(f) {
  if (f.in || f.notIn) {
    return f.in ? 'in' : 'notIn';
  }
  if (f.exists != null) {
    return f.exists ? 'exists' : 'absent';
  }
  return f.changed == null ? 'range' : f.changed ? 'changed' : 'same';
}

export function Conditions({ initial = [] }) {
  return html`<${Rows} name="filters" legend="Conditions" one="Condition" max="10" initial=${initial} row=${Condition}
    hint="Only events that match all conditions are sent." />`;
}

function Condition({ at, of }) {
  const [test, setTest] = useState(of.field ? testOf(of) : 'in');
  return html`<div class="pair">
    <${Field} name=${at + '.field'} label="Field" value=${of.field} required maxlength="128" autocomplete="off"
      spellcheck=${false} hint="For example, object.status" />
    <${Select} name=${at + '.test'} label="Test" options=${tests} value=${test}
      onChange=${(e) => setTest(e.target.value)} /></div>
    ${(test === 'in' || test === 'notIn') && html`<${Area} key=${test} name=${at + '.' + test} label="Values" rows=${2}
      value=${of[test]?.join('\n')} spellcheck=${false} hint="Enter one per line." />`}
    ${test === 'range' && html`<div class="pair">
      <${Field} name=${at + '.min'} label="From" optional type="number" step="1" value=${of.min} />
      <${Field} name=${at + '.max'} label="To" optional type="number" step="1" value=${of.max} /></div>`}`;
}

/** Reads a whole number; undefined if the field is empty. */
function whole(values, name) {
  const typed = text(values, name);
  if (typed && !/^[+-]?\d{1,15}$/.test(typed)) {
    throw new FieldError(name, 'Enter a whole number.');
  }
  return typed ? Number(typed) : undefined;
}

export const filtersOf = (values) => rowsOf(values, 'filters', '.field', (at) => {
  const field = text(values, at + '.field') ?? '';
  const test = values.get(at + '.test');
  switch (test) {
    case 'in':
    case 'notIn':
      return { field, [test]: lines(values, at + '.' + test) };
    case 'range': {
      const [min, max] = [whole(values, at + '.min'), whole(values, at + '.max')];
      if (min == null && max == null) {
        throw new FieldError(at + '.min', 'Enter at least one of the two.');
      }
      return { field, min, max };
    }
    default:
      return test === 'exists' || test === 'absent' ? { field, exists: test === 'exists' }
        : { field, changed: test === 'changed' };
  }
});

export const filterFields = 'field in notIn min max exists changed';

export const filterInput = (f) => Object.fromEntries(filterFields.split(' ').map((k) => [k, f[k]])
  .filter(([, v]) => v != null));

/** A condition in words, without its field. */
export function conditionText(f) {
  if (testOf(f) !== 'range') {
    return [tests.find(([k]) => k === testOf(f))[1], (f.in ?? f.notIn ?? []).join(', ')].filter(Boolean).join(' ');
  }
  return 'is ' + [f.min != null && f.min.toLocaleString() + ' or more', f.max != null &&
    f.max.toLocaleString() + ' or less'].filter(Boolean).join(' and ');
}
