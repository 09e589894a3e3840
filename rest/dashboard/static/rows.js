// Rows of fields that can be added to and taken away.
import { html, useId, useLayoutEffect, useRef, useState } from './lib.js';
import { useForget, useWrong } from './form.js';
import { Icon } from './icons.js';

/**
 * Rows that can be added to and taken away. Each draws its fields, whose names begin with at: "headers.0".
 * @param {{name: string, legend: string, one: string, hint: string, max: string, initial: object[],
 *   row: (props: {at: string, of: object}) => any}} props
 */
export function Rows({ name, legend, one, hint, max, initial, row, ...rest }) {
  const wrong = useWrong(name);
  const forget = useForget();
  const own = useId();
  const ref = useRef(null);
  const [{ rows, next, moved }, set] = useState({
    rows: initial.map((of, key) => ({ of, key })), next: initial.length, moved: '',
  });
  useLayoutEffect(() => { // whoever adds a row writes in it, whoever takes one away does not lose their place
    const last = moved === 'added' ? '.row-box:last-of-type :is(input:not([type=hidden]), select)'
      : '[data-test="add-' + name + '"]';
    moved && ref.current.querySelector(last)?.focus();
  }, [rows]);
  const add = () => set({ rows: [...rows, { of: {}, key: next }], next: next + 1, moved: 'added' });
  const remove = (key) => {
    forget(name);
    set({ rows: rows.filter((r) => r.key !== key), next, moved: 'removed' });
  };
  return html`<fieldset class="rows" name=${name} ref=${ref} data-test=${name}
    aria-describedby=${own + '-hint' + (wrong ? ' ' + own + '-error' : '')}>
    <legend>${legend} <span class="muted">(optional)</span></legend>
    <p class="hint" id=${own + '-hint'}>${hint}</p>
    ${wrong && html`<p class="wrong" id=${own + '-error'} data-test=${'error-' + name}>${wrong.join(' ')}</p>`}
    ${rows.map(({ of, key }, i) => html`<div class="row-box" key=${key} role="group" aria-label=${one + ' ' + (i + 1)}>
      <div class="grow"><${row} at=${name + '.' + i} of=${of} ...${rest} /></div>
      <button type="button" class="icon-button" aria-label=${'Remove ' + one.toLowerCase() + ' ' + (i + 1)}
        onClick=${() => remove(key)} data-test=${'remove-' + name}><${Icon} name="close" /></button></div>`)}
    ${rows.length < Number(max) && html`<p><button type="button" class="button small" onClick=${add}
      data-test=${'add-' + name}><${Icon} name="plus" size="16" />Add ${one.toLowerCase()}</button></p>`}
  </fieldset>`;
}

/** Reads rows, as long as there is one that has the member. */
export function rowsOf(values, name, member, read) {
  const list = [];
  while (values.has(name + '.' + list.length + member)) {
    list.push(read(name + '.' + list.length));
  }
  return list;
}
