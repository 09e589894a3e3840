// The options and variants of a product.
import { html, useId, useRef, useState } from './lib.js';
import { useApp } from './context.js';
import { Card, Money, Button } from './ui.js';
import {
  Form, Field, Area, Amount, amount, lines, text, useAction, useClearErrors, useFieldError, optionalAmount,
  optionalNumber, onEnter,
} from './form.js';
import { Icon } from './icons.js';
import { TaxCategory } from './tax_category.js';

const save = `mutation ProductVariantsSet($id: ID!, $expectedVersion: Long!, $options: [ProductOptionInput!]!,
    $variants: [ProductVariantInput!]!) {
  productVariantsSet(id: $id, expectedVersion: $expectedVersion, options: $options, variants: $variants) {
    product { id } userErrors { code message path } } }`;

const maxOptions = 3;
const maxVariants = 100;

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
  const of = new Map(p.options.length === 0 ? [['', p.variants[0]]] : all.flatMap((c) => {
    const v = p.variants.find((one) => one.options.every((t, i) => t === c.texts[i]));
    return v ? [[c.key, v]] : [];
  }));
  return { options, of, omitted: new Set(all.filter((c) => !of.has(c.key)).map((c) => c.key)) };
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

function Row({ at, title, of, price, weight, currency, remove }) {
  const name = `variants.${at}.`;
  const number = (n) => (n == null ? '' : String(n));
  return html`<div class="row-box" role="group" aria-label=${title} data-test="variant">
    <div class="grow"><h3 class="variant-name"><bdi>${title}</bdi></h3><div class="variant-cells">
      <${Amount} name=${name + 'priceMinor'} label="Price" minor=${of?.priceMinor ?? price} currency=${currency} />
      <${Amount} name=${name + 'compareAtPriceMinor'} label="Compare-at price" optional minor=${of?.compareAtPriceMinor}
        currency=${currency} />
      <${Field} name=${name + 'inventoryQuantity'} label="Stock" value=${number(of?.inventoryQuantity)}
        inputmode="numeric" hint="Leave empty if stock is not tracked." />
      <${Field} name=${name + 'sku'} label="SKU" optional value=${of?.sku} maxlength="255" />
      <${Field} name=${name + 'weightGrams'} label="Weight in g" optional value=${number(of ? of.weightGrams : weight)}
        inputmode="numeric" />
      <${Field} name=${name + 'barcode'} label="Barcode (GTIN)" optional value=${of?.barcode} maxlength="14"
        inputmode="numeric" />
      <${Amount} name=${name + 'costMinor'} label="Cost" optional minor=${of?.costMinor} currency=${currency} />
      <${TaxCategory} name=${name + 'taxCategory'} value=${of?.taxCategory ?? ''} none="As the product" />
    </div></div>
    <button type="button" class="icon-button" aria-label=${'Remove ' + title} onClick=${remove}
      data-test="leave-out"><${Icon} name="close" /></button></div>`;
}

const columns = [['priceMinor', 'Price'], ['compareAtPriceMinor', 'Compare-at price'], ['inventoryQuantity', 'Stock'],
  ['weightGrams', 'Weight in g'], ['costMinor', 'Cost']];

/** Sets a field of all variants to one value. The fields have no names, so the form does not send them. */
function SetAll() {
  const ref = useRef(null);
  const id = useId();
  const act = () => {
    const { form } = ref.current.closest('fieldset');
    const column = ref.current.querySelector('select').value;
    const { value } = ref.current.querySelector('input');
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

function VariantRows({ state, set, product: p }) {
  const wrong = useFieldError('variants');
  const forget = useClearErrors();
  const all = combine(state.options).filter((c) => c.keys.length > 0);
  const rows = all.filter((c) => !state.omitted.has(c.key));
  const change = (next) => {
    forget('variants');
    set({ ...state, ...next });
  };
  return html`<fieldset class="rows" name="variants" data-test="variants" tabindex="-1"
    aria-describedby=${wrong ? 'variants-error' : undefined}>
    <legend>Variants</legend>
    ${wrong && html`<p class="wrong" id="variants-error" data-test="error-variants">${wrong.join(' ')}</p>`}
    ${rows.length > 1 && html`<${SetAll} />`}
    ${rows.length > maxVariants ? html`<p class="wrong">There are ${rows.length} combinations. A product can have
      at most ${maxVariants}. Remove some values.</p>` : rows.map((c, i) => html`<${Row} key=${c.key} at=${i}
        title=${c.texts.join(' / ')} of=${sourceOf(state, c)} price=${p.priceMinor} weight=${weightOf(p)}
        currency=${p.currency}
        remove=${() => change({ omitted: new Set([...state.omitted, c.key]) })} />`)}
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
  const rows = combine(state.options).filter((c) => c.keys.length === options.length && !state.omitted.has(c.key));
  return { options, variants: rows.slice(0, maxVariants + 1).map((c, i) => {
    const of = sourceOf(state, c);
    return {
      id: of?.id, options: c.texts, priceMinor: amount(values, `variants.${i}.priceMinor`, p.currency),
      compareAtPriceMinor: optionalAmount(values, `variants.${i}.compareAtPriceMinor`, p.currency),
      sku: text(values, `variants.${i}.sku`),
      inventoryQuantity: optionalNumber(values, `variants.${i}.inventoryQuantity`),
      weightGrams: optionalNumber(values, `variants.${i}.weightGrams`),
      taxCategory: text(values, `variants.${i}.taxCategory`),
      barcode: text(values, `variants.${i}.barcode`),
      costMinor: optionalAmount(values, `variants.${i}.costMinor`, p.currency),
    };
  }) };
}

export function Variants({ product: p, changed }) {
  const { notify } = useApp();
  const [state, setState] = useState(() => initialState(p));
  const edit = (key, next) => setState({ ...state,
    options: state.options.map((o) => (o.key === key ? { ...o, ...next } : o)) });
  const without = (key) => setState({ ...state, options: state.options.filter((o) => o.key !== key) });
  const action = useAction(save, (values) => ({ id: p.id, expectedVersion: p.version, ...inputOf(values, state, p) }),
    'Variants saved.', changed);
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
