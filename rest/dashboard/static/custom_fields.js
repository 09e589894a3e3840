// The custom fields of a product, a variant, an order or a customer.
import { html, useState } from './lib.js';
import { useApp, useQuery } from './context.js';
import { Card, ExternalLink, Facts, Money } from './ui.js';
import { Amount, Area, Field, FieldError, Form, Select, amount, errors, lines, text, useMutation } from './form.js';

const definitions = `query CustomFields($owner: CustomFieldOwner!) { customFields(owner: $owner, first: 100) {
  nodes { name label type } } }`;

const save = (type, name) => `mutation Change($id: ID!, $expectedVersion: Long!, $input: ${type}!) {
  ${name}Update(id: $id, expectedVersion: $expectedVersion, input: $input) { ${name} { version customFields }
    ${errors} } }`;
const documents = {
  PRODUCT: save('ProductUpdateInput', 'product'), ORDER: save('OrderUpdateInput', 'order'),
  CUSTOMER: save('CustomerUpdateInput', 'customer'),
  VARIANT: `mutation Change($id: ID!, $expectedVersion: Long!, $variantId: ID!, $input: ProductVariantUpdateInput!) {
    productVariantUpdate(id: $id, expectedVersion: $expectedVersion, variantId: $variantId, input: $input) {
      product { version variants { id customFields } } ${errors} } }`,
};

/** The text of a value in its field. */
function typed(type, value) {
  if (value === undefined) {
    return '';
  }
  return type === 'JSON' ? JSON.stringify(value, null, 2) : type === 'LIST' ? value.join('\n') : String(value);
}

/** Reads the value of a field; null if it is empty. */
function valueOf(values, name, f, currency) {
  const entered = text(values, name);
  if (!entered) {
    return null;
  }
  switch (f.type) {
    case 'TEXT': return values.get(name);
    case 'NUMBER':
      if (!/^-?(\d+\.?\d*|\.\d+)$/.test(entered) || entered.replace(/\D/g, '').length > 15) {
        throw new FieldError(name, 'Enter a number of up to 15 digits, such as 12.5.');
      }
      return Number(entered);
    case 'BOOLEAN': return entered === 'true';
    case 'MONEY': return { amount_minor: amount(values, name, currency), currency };
    case 'LIST': return lines(values, name);
    case 'JSON':
      try {
        return JSON.parse(entered);
      } catch {
        throw new FieldError(name, 'This is not valid JSON.');
      }
    default: return entered;
  }
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function Input({ of: f, name, value, currency }) {
  const shared = { name, label: f.label, optional: true, value: typed(f.type, value) };
  switch (f.type) {
    case 'TEXT': return html`<${Area} ...${shared} rows=${2} maxlength="5000" />`;
    case 'NUMBER': return html`<${Field} ...${shared} inputmode="decimal" autocomplete="off" />`;
    case 'BOOLEAN': return html`<${Select} ...${shared}
      options=${[['', 'Not set'], ['true', 'Yes'], ['false', 'No']]} />`;
    case 'DATE': return html`<${Field} ...${shared} type="date" />`;
    case 'MONEY': return html`<${Amount} name=${name} label=${f.label} optional minor=${value?.amount_minor}
      currency=${currency} />`;
    case 'URL': return html`<${Field} ...${shared} type="url" maxlength="2048"
      hint="Starts with https:// or http://" />`;
    case 'LIST': return html`<${Area} ...${shared} rows=${3} hint="Enter one per line." />`;
    default: return html`<${Area} ...${shared} rows=${4} spellcheck=${false} hint="A JSON object or array." />`;
  }
}

/** A value as text, for people who cannot change it. */
function Value({ type, value }) {
  switch (type) {
    case 'BOOLEAN': return value ? 'Yes' : 'No';
    case 'MONEY': return html`<${Money} minor=${value.amount_minor} currency=${value.currency} />`;
    case 'URL': return html`<${ExternalLink} href=${value}>${value}<//>`;
    case 'LIST': return html`<bdi>${value.join(', ')}</bdi>`;
    default: return html`<bdi class="verbatim">${typed(type, value)}</bdi>`;
  }
}

/**
 * The card with the fields of a record, nothing if the store has defined none. changed gets the
 * record's new version after the fields were saved, and stale reads the record again.
 */
export function CustomFields({ owner, id, version, values, may, changed, stale, variantId, title, head }) {
  const { store, notify } = useApp();
  const known = useQuery(definitions, { owner }).data?.customFields.nodes ?? [];
  const run = useMutation(documents[owner]);
  // The values that were saved here, until the record is read again.
  const [saved, setSaved] = useState(null);
  const present = (saved?.from === values ? saved.values : values) ?? {};
  if (known.length === 0) {
    return null;
  }
  const name = (f) => 'customFields.' + f.name;
  const currency = (f) => present[f.name]?.currency ?? store.currency;
  const action = async (v) => {
    const entered = known.map((f) => [f.name, valueOf(v, name(f), f, currency(f))]);
    const change = Object.fromEntries(entered.filter(([key, value]) => !same(value, present[key] ?? null)));
    if (Object.keys(change).length === 0) {
      notify('No changes to save.');
      return;
    }
    const done = await run({ id, expectedVersion: version, ...(variantId && { variantId }),
      input: { customFields: change } });
    const record = done.product ?? done.order ?? done.customer;
    const next = variantId ? record.variants.find((one) => one.id === variantId).customFields : record.customFields;
    setSaved({ from: values, values: next });
    notify('Custom fields saved.');
    changed(record.version, next);
  };
  const rows = known.filter((f) => f.name in present)
    .map((f) => [f.label, html`<${Value} type=${f.type} value=${present[f.name]} />`]);
  return html`<${Card} title=${title ?? 'Custom fields'} name=${'custom-fields-' + owner.toLowerCase()}>
    ${head}
    ${may ? html`<${Form} name="custom-fields" submit="Save custom fields" action=${action} onStale=${stale}>
      ${known.map((f) => html`<${Input} key=${f.name} of=${f} name=${name(f)} value=${present[f.name]}
        currency=${currency(f)} />`)}<//>`
      : rows.length > 0 ? html`<${Facts} rows=${rows} />` : html`<p class="muted">No values</p>`}
  <//>`;
}

/** The custom fields of a product's variants, one at a time. */
export function VariantCustomFields({ product: p, may, changed, stale }) {
  const [variantId, setVariant] = useState(p.variants[0].id);
  // The values that were saved here, by variant.
  const [saved, setSaved] = useState({});
  const variant = p.variants.find((v) => v.id === variantId) ?? p.variants[0];
  const head = p.options.length > 0 && html`<div class="field"><label for="fields-variant">Variant</label>
    <select id="fields-variant" onChange=${(e) => setVariant(e.target.value)}>${p.variants.map((v) => html`
      <option key=${v.id} value=${v.id} selected=${v.id === variant.id}>${v.title}</option>`)}</select></div>`;
  return html`<${CustomFields} key=${variant.id} owner="VARIANT" id=${p.id} variantId=${variant.id} version=${p.version}
    values=${variant.id in saved ? saved[variant.id] : variant.customFields} may=${may} stale=${stale} head=${head}
    title=${p.options.length > 0 ? 'Custom fields of variants' : 'Custom fields of the variant'}
    changed=${(version, next) => {
      setSaved({ ...saved, [variant.id]: next });
      changed(version);
    }} />`;
}
