// The options and variants of a product.
import { html, useId, useRef, useState } from './lib.js';
import { useApp } from './context.js';
import { Card, Money, Button } from './ui.js';
import {
  Form, Field, FieldError, Area, Amount, amount, amountText, lines, text, useAction, useClearErrors, useFieldError,
  useTurn, optionalAmount, optionalNumber, onEnter,
} from './form.js';
import { Icon } from './icons.js';
import { TaxCategory } from './tax_category.js';

const save = `mutation ProductVariantsSet($id: ID!, $expectedVersion: Long!, $options: [ProductOptionInput!]!,
    $variants: [ProductVariantInput!]!) {
  productVariantsSet(id: $id, expectedVersion: $expectedVersion, options: $options, variants: $variants) {
    product { id } userErrors { code message path } } }`;

const maxOptions = 3;
const maxVariants = 2000;
const rowsShown = 100; // at the same time

export const variantFields = `weightGrams options { name values }
  variants { id title sku priceMinor compareAtPriceMinor salePriceMinor inventoryQuantity weightGrams taxCategory
    barcode costMinor options customFields
    image { id } }`;

let lastKey = 0;
const withKey = (of) => ({ key: 'k' + (lastKey += 1), ...of });

/** Updates the values of an option. A value that was edited in place keeps its key. */
function updateValues(before, texts) {
  return texts.map((t, i) => before.find((v) => v.text === t) ??
    (texts.length === before.length && !texts.includes(before[i].text) ? { ...before[i], text: t } :
      withKey({ text: t })));
}

/** All combinations of the options' values, with their keys and texts. */
function combine(options) {
  return options.filter((o) => o.values.length > 0).reduce((all, o) => all.flatMap((c) => o.values.map((v, i) => ({
    keys: [...c.keys, v.key], texts: [...c.texts, v.text], first: [...c.first, i === 0],
  }))), [{ keys: [], texts: [], first: [] }]).map((c) => ({ ...c, key: c.keys.join('.') }));
}

function initialState(p) {
  const options = p.options.map((o) => withKey({ name: o.name, values: o.values.map((t) => withKey({ text: t })) }));
  const all = combine(options);
  const stored = new Map(p.variants.map((v) => [v.options.join('\n'), v]));
  const of = new Map(p.options.length === 0 ? [['', p.variants[0]]] : all.flatMap((c) => {
    const v = stored.get(c.texts.join('\n'));
    return v ? [[c.key, v]] : [];
  }));
  const omitted = new Set(all.filter((c) => !of.has(c.key)).map((c) => c.key));
  return { options, of, omitted, from: 0, typed: new Map() };
}

/**
 * Returns the variant that a combination had before. The first value of a new option takes over the
 * variants of the other options' combinations.
 */
function sourceOf(state, combination) {
  for (let n = combination.keys.length; n >= 0; n -= 1) {
    const v = state.of.get(combination.keys.slice(0, n).join('.'));
    if (v || !combination.first[n - 1]) {
      return v;
    }
  }
  return undefined;
}

function Option({ at, of, remove, changed }) {
  return html`<div class="row-box" role="group" aria-label=${'Option ' + (at + 1)}>
    <div class="grow"><div class="pair">
      <${Field} name=${`options.${at}.name`} label="Option" value=${of.name} required maxlength="64"
        hint="For example, Size or Color." onChange=${(e) => changed({ name: e.target.value })} />
      <${Area} name=${`options.${at}.values`} label="Values" rows=${3} required
        value=${of.values.map((v) => v.text).join('\n')} hint="Enter one per line." onChange=${(e) => changed({
          values: updateValues(of.values,
            [...new Set(e.target.value.split('\n').map((s) => s.trim()).filter(Boolean))]),
        })} />
    </div></div>
    <button type="button" class="icon-button" aria-label=${'Remove option ' + (at + 1)} onClick=${remove}
      data-test="remove-option"><${Icon} name="close" /></button></div>`;
}

/** The weight that all variants share; null if they differ. It is the default of new ones. */
const weightOf = (p) => (p.variants.every((v) => v.weightGrams === p.variants[0].weightGrams)
  ? p.variants[0]?.weightGrams : null);

/** The texts of a variant's fields. of is the variant, or undefined for a new one. */
function textsOf(of, p) {
  const number = (n) => (n == null ? '' : String(n));
  return {
    priceMinor: amountText(of?.priceMinor ?? p.priceMinor, p.currency),
    compareAtPriceMinor: amountText(of?.compareAtPriceMinor, p.currency),
    inventoryQuantity: number(of?.inventoryQuantity), sku: of?.sku ?? '',
    weightGrams: number(of ? of.weightGrams : weightOf(p)), barcode: of?.barcode ?? '',
    costMinor: amountText(of?.costMinor, p.currency), taxCategory: of?.taxCategory ?? '',
  };
}

function Row({ at, title, texts, currency, remove }) {
  const field = (name) => ({ name: `variants.${at}.${name}`, value: texts[name] });
  return html`<div class="row-box" role="group" aria-label=${title} data-test="variant">
    <div class="grow"><h3 class="variant-name"><bdi>${title}</bdi></h3><div class="variant-cells">
      <${Amount} ...${field('priceMinor')} label="Price" currency=${currency} />
      <${Amount} ...${field('compareAtPriceMinor')} label="Compare-at price" optional currency=${currency} />
      <${Field} ...${field('inventoryQuantity')} label="Stock" inputmode="numeric"
        hint="Leave empty if stock is not tracked." />
      <${Field} ...${field('sku')} label="SKU" optional maxlength="255" />
      <${Field} ...${field('weightGrams')} label="Weight in g" optional inputmode="numeric" />
      <${Field} ...${field('barcode')} label="Barcode (GTIN)" optional maxlength="14" inputmode="numeric" />
      <${Amount} ...${field('costMinor')} label="Cost" optional currency=${currency} />
      <${TaxCategory} ...${field('taxCategory')} none="As the product" />
    </div></div>
    <button type="button" class="icon-button" aria-label=${'Remove ' + title} onClick=${remove}
      data-test="leave-out"><${Icon} name="close" /></button></div>`;
}

const columns = [['priceMinor', 'Price'], ['compareAtPriceMinor', 'Compare-at price'], ['inventoryQuantity', 'Stock'],
  ['weightGrams', 'Weight in g'], ['costMinor', 'Cost']];

/** Sets a field of all variants to one value. The fields have no names, so the form does not send them. */
function SetAll({ others }) {
  const ref = useRef(null);
  const id = useId();
  const act = () => {
    const { form } = ref.current.closest('fieldset');
    const column = ref.current.querySelector('select').value;
    const { value } = ref.current.querySelector('input');
    others(column, value);
    for (const field of form.elements) {
      if (field.name.startsWith('variants.') && field.name.endsWith('.' + column)) {
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
    }
  };
  return html`<div class="pair" role="group" aria-label="Set all variants" ref=${ref} data-test="set-all">
    <div class="field"><label for=${id + 'c'}>Set all variants</label><select id=${id + 'c'}>
      ${columns.map(([name, title]) => html`<option key=${name} value=${name}>${title}</option>`)}</select></div>
    <div class="field"><label for=${id + 'v'}>Value</label><input id=${id + 'v'} type="text" autocomplete="off"
      onKeyDown=${onEnter(act)} /></div>
    <p><${Button} kind="small" act=${act} test="set-all-apply">Set all<//></p></div>`;
}

/** The combinations that are variants. */
const rowsOf = (state) => combine(state.options).filter((c) => c.keys.length > 0 && !state.omitted.has(c.key));

/** What the fields of a row show that are not on the page: what was typed before, or the variant's texts. */
const rowTexts = (state, c, p) => ({ ...textsOf(sourceOf(state, c), p), ...state.typed.get(c.key) });

/** Remembers what was typed in the rows on the page. */
function remember(state, rows, values) {
  for (const [name, value] of values) {
    const [, at, column] = /^variants\.(\d+)\.(\w+)$/.exec(name) ?? [];
    if (rows[at]) {
      state.typed.set(rows[at].key, { ...state.typed.get(rows[at].key), [column]: value });
    }
  }
}

function VariantRows({ state, set, product: p }) {
  const ref = useRef(null);
  const wrong = useFieldError('variants');
  const forget = useClearErrors();
  const turn = useTurn();
  const all = combine(state.options).filter((c) => c.keys.length > 0);
  const rows = rowsOf(state);
  const from = Math.min(state.from, Math.floor(Math.max(rows.length - 1, 0) / rowsShown) * rowsShown);
  const change = (next) => {
    forget('variants');
    remember(state, rows, new FormData(ref.current.form));
    set({ ...state, ...next });
  };
  const go = (to) => {
    turn();
    change({ from: to });
    ref.current.focus();
  };
  return html`<fieldset class="rows" name="variants" data-test="variants" tabindex="-1" ref=${ref}
    aria-describedby=${wrong ? 'variants-error' : undefined}>
    <legend>Variants</legend>
    ${wrong && html`<p class="wrong" id="variants-error" data-test="error-variants">${wrong.join(' ')}</p>`}
    ${rows.length > 1 && html`<${SetAll} others=${(column, value) => rows.forEach((c) =>
      state.typed.set(c.key, { ...state.typed.get(c.key), [column]: value }))} />`}
    ${rows.length > maxVariants ? html`<p class="wrong">There are ${rows.length} combinations. A product can have
      at most ${maxVariants}. Remove some values.</p>` : rows.slice(from, from + rowsShown).map((c, i) =>
      html`<${Row} key=${c.key} at=${from + i} title=${c.texts.join(' / ')} texts=${rowTexts(state, c, p)}
        currency=${p.currency} remove=${() => change({ omitted: new Set([...state.omitted, c.key]) })} />`)}
    ${rows.length > rowsShown && rows.length <= maxVariants && html`<div class="pager bare-pager">
      ${from > 0 && html`<${Button} act=${() => go(from - rowsShown)} test="variants-before">Previous<//>`}
      <span class="grow" role="status">${from + 1} to ${Math.min(from + rowsShown, rows.length)}${' '}
        of ${rows.length}</span>
      ${from + rowsShown < rows.length && html`<${Button} act=${() => go(from + rowsShown)}
        test="variants-after">Next<//>`}</div>`}
    ${rows.length < all.length && html`<p><${Button} kind="small" icon="plus" test="all-combinations"
      act=${() => change({ omitted: new Set() })}>Add${' ' + (all.length - rows.length)} omitted<//></p>`}
  </fieldset>`;
}

function inputOf(values, state, p) {
  const options = state.options.map((o, i) => ({
    name: text(values, `options.${i}.name`) ?? '', values: lines(values, `options.${i}.values`),
  }));
  if (options.length === 0) { // the first variant becomes the product itself
    const { options: none, title, image, salePriceMinor, ...first } = p.variants[0];
    return { options, variants: [{ ...first, id: null, options: [] }] };
  }
  const rows = rowsOf(state).filter((c) => c.keys.length === options.length);
  return { options, variants: rows.slice(0, maxVariants + 1).map((c, i) => {
    const name = (column) => `variants.${i}.${column}`;
    const row = new Map(Object.entries(rowTexts(state, c, p)).map(([column, before]) =>
      [name(column), values.get(name(column)) ?? before]));
    return {
      id: sourceOf(state, c)?.id, options: c.texts, priceMinor: amount(row, name('priceMinor'), p.currency),
      compareAtPriceMinor: optionalAmount(row, name('compareAtPriceMinor'), p.currency),
      sku: text(row, name('sku')), inventoryQuantity: optionalNumber(row, name('inventoryQuantity')),
      weightGrams: optionalNumber(row, name('weightGrams')), taxCategory: text(row, name('taxCategory')),
      barcode: text(row, name('barcode')), costMinor: optionalAmount(row, name('costMinor'), p.currency),
    };
  }) };
}

/** The row of the first error of a variant. */
function wrongRow(error) {
  const paths = error instanceof FieldError ? [error.field] : (error.errors ?? []).map((e) => (e.path ?? []).join('.'));
  return paths.map((path) => /\bvariants\.(\d+)\./.exec(path)?.[1]).find(Boolean);
}

export function Variants({ product: p, changed }) {
  const { notify } = useApp();
  const [state, setState] = useState(() => initialState(p));
  const edit = (key, next) => setState({ ...state,
    options: state.options.map((o) => (o.key === key ? { ...o, ...next } : o)) });
  const without = (key) => setState({ ...state, options: state.options.filter((o) => o.key !== key) });
  const send = useAction(save, (values) => ({ id: p.id, expectedVersion: p.version, ...inputOf(values, state, p) }),
    'Variants saved.', changed);
  const action = async (values) => {
    try {
      await send(values);
    } catch (e) { // show the rows of its fields first
      const at = wrongRow(e);
      if (at !== undefined && Math.floor(at / rowsShown) * rowsShown !== state.from) {
        remember(state, rowsOf(state), values);
        setState({ ...state, from: Math.floor(at / rowsShown) * rowsShown });
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      }
      throw e;
    }
  };
  const stale = () => {
    notify('Someone else changed the product. You now see the latest version. Enter your changes again.', 'bad');
    changed();
  };
  const some = state.options.length > 0;
  return html`<${Card} title="Options and variants">
    <p class="muted">${some ? 'Each combination has its own price and stock.'
      : 'For example, sizes and colors. Each combination has its own price and stock.'}</p>
    ${some || p.options.length > 0 ? html`<${Form} name="variants" submit="Save variants" action=${action}
        onStale=${stale} reset=${() => setState(initialState(p))}>
        <fieldset class="rows" name="options"><legend>Options</legend>
          ${state.options.map((o, i) => html`<${Option} key=${o.key} at=${i} of=${o}
            remove=${() => without(o.key)} changed=${(next) => edit(o.key, next)} />`)}
          ${state.options.length < maxOptions && html`<p><${Add} state=${state} set=${setState} /></p>`}
          ${!some && html`<p>Without options, the first variant becomes the product itself.</p>`}
        </fieldset>
        ${some && html`<${VariantRows} state=${state} set=${setState} product=${p} />`}
      <//>` : html`<p><${Add} state=${state} set=${setState} /></p>`}
  <//>`;
}

function Add({ state, set }) {
  return html`<${Button} kind="small" icon="plus" test="add-option"
    act=${() => set({ ...state, options: [...state.options, withKey({ name: '', values: [] })] })}>Add option<//>`;
}

export function VariantList({ product: p }) {
  return html`<${Card} title="Variants" flush><table class="table">
    <thead><tr><th scope="col">Variant</th><th scope="col">SKU</th><th scope="col" class="end">Stock</th>
      <th scope="col" class="end">Price</th></tr></thead>
    <tbody>${p.variants.map((v) => html`<tr key=${v.id}><td class="main"><bdi>${v.title}</bdi></td>
      <td data-label="SKU">${v.sku ?? '–'}</td>
      <td class="end" data-label="Stock">${v.inventoryQuantity ?? 'Not tracked'}</td>
      <td class="end" data-label="Price"><${Money} minor=${v.priceMinor} currency=${p.currency} /></td></tr>`)}</tbody>
  </table><//>`;
}
