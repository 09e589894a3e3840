// Lists of rows in forms.
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from './lib.js';
import { Button } from './ui.js';
import { onEnter, useClearErrors, useFieldError } from './form.js';
import { Icon } from './icons.js';

/** What a row shows and what it submits, in lower case. */
const textOf = (box) => [...box.querySelectorAll('input, select')]
  .map((e) => e.value + ' ' + (e.selectedOptions?.[0]?.text ?? '')).join(' ').toLowerCase();

/**
 * Rows that can be added and removed. More than ten can be searched. Each renders its fields, whose
 * names start with at: "headers.0". The initial rows of a fixed list cannot be removed.
 * @param {{name: string, legend: string, one: string, hint: string, max: string, initial: object[], fixed?: boolean,
 *   row: (props: {at: string, of: object}) => any}} props
 */
export function Rows({ name, legend, one, hint, max, initial, row, fixed, ...rest }) {
  const wrong = useFieldError(name);
  const forget = useClearErrors();
  const own = useId();
  const ref = useRef(null);
  const [find, setFind] = useState('');
  const [{ rows, next, moved }, setState] = useState({
    rows: initial.map((of, key) => ({ of, key })), next: initial.length, moved: '',
  });
  useLayoutEffect(() => { // focus the new row, or the Add button after a removal
    const last = moved === 'added' ? '.row-box:last-of-type :is(input:not([type=hidden]), select)'
      : '[data-test="add-' + name + '"]';
    moved && ref.current.querySelector(last)?.focus();
  }, [rows]);
  useLayoutEffect(() => {
    const words = find.trim().toLowerCase();
    ref.current.querySelectorAll('.row-box').forEach((box) => {
      box.hidden = !textOf(box).includes(words);
    });
  }, [find]);
  useEffect(() => { // a row with an error has to be visible
    const { form } = ref.current;
    const show = () => setFind('');
    form.addEventListener('submit', show);
    return () => form.removeEventListener('submit', show);
  }, []);
  const add = () => setState({ rows: [...rows, { of: {}, key: next }], next: next + 1, moved: 'added' });
  const remove = (key) => {
    forget(name);
    setState({ rows: rows.filter((r) => r.key !== key), next, moved: 'removed' });
  };
  return html`<fieldset class="rows" name=${name} ref=${ref} data-test=${name}
    aria-describedby=${own + '-hint' + (wrong ? ' ' + own + '-error' : '')}>
    <legend>${legend} <span class="muted">(optional)</span></legend>
    <p class="hint" id=${own + '-hint'}>${hint}</p>
    ${wrong && html`<p class="wrong" id=${own + '-error'} data-test=${'error-' + name}>${wrong.join(' ')}</p>`}
    ${rows.length > 10 && html`<div class="field"><label for=${own + '-find'}>Search ${legend.toLowerCase()}</label>
      <input id=${own + '-find'} type="search" autocomplete="off" value=${find} data-test=${'find-' + name}
        onInput=${(e) => setFind(e.target.value)} onKeyDown=${onEnter(() => {})} /></div>`}
    ${rows.map(({ of, key }, i) => html`<div class="row-box" key=${key} role="group" aria-label=${one + ' ' + (i + 1)}>
      <div class="grow"><${row} at=${name + '.' + i} of=${of} ...${rest} /></div>
      ${!(fixed && i < initial.length) && html`<button type="button" class="icon-button"
        aria-label=${'Remove ' + one.toLowerCase() + ' ' + (i + 1)} onClick=${() => remove(key)}
        data-test=${'remove-' + name}><${Icon} name="close" /></button>`}</div>`)}
    ${rows.length < Number(max) && html`<p><${Button} kind="small" icon="plus" act=${add}
      test=${'add-' + name}>Add ${one.toLowerCase()}<//></p>`}
  </fieldset>`;
}

/** Buttons that move an item of a list up or down, or remove it. test is the prefix of their data-test. */
export function MoveButtons({ title, at, items, set, test }) {
  const swap = (other) => set(items.map((item, i) => (i === at ? items[other] : i === other ? items[at] : item)));
  const button = (label, icon, off, act) => html`<button type="button" class="icon-button" aria-label=${label}
    title=${label} onClick=${() => !off && act()} aria-disabled=${off ? 'true' : undefined}
    data-test=${test + '-' + icon}><${Icon} name=${icon} size="16" /></button>`;
  return html`<div class="actions">
    ${button('Move up: ' + title, 'up', at === 0, () => swap(at - 1))}
    ${button('Move down: ' + title, 'down', at === items.length - 1, () => swap(at + 1))}
    ${button('Remove: ' + title, 'close', false, () => set(items.filter((_, i) => i !== at)))}</div>`;
}

/** Reads all rows that have the field member. */
export function rowsOf(values, name, member, read) {
  const list = [];
  while (values.has(name + '.' + list.length + member)) {
    list.push(read(name + '.' + list.length));
  }
  return list;
}
