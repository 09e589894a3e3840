// An order that staff make: by telephone, at the counter, for a friend of the house.
import { html, useEffect, useRef, useState } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { send, Failure } from '../api.js';
import { Page, Card, Empty, Money, Trouble } from '../ui.js';
import { Form, Field, Select, Amount, Wrong, amount, text, lines as parts, useMutation } from '../form.js';
import { AddressFields, addressFields, addressOf } from '../address_fields.js';
import { ProductPicker } from '../product_picker.js';
import { Icon } from '../icons.js';
import { money as written } from '../money.js';
import { shownTax } from '../order_state.js';
import { to } from '../route.js';

const create = `mutation OrderCreate($input: OrderCreateInput!) {
  orderCreate(input: $input) { order { id number } userErrors { code message path } } }`;
const preview = `query Preview($input: OrderCreateInput!) { orderPreview(input: $input) {
  currency lineItems { totalMinor } subtotalMinor discountMinor shippingMinor taxMinor includedTaxMinor totalMinor
  shippingRates { id name costMinor } } }`;
const customers = `query Buyers($filter: CustomerFilter) { customers(first: 1, filter: $filter) {
  nodes { id displayName email defaultAddress { ${addressFields} } } } }`;
const customer = `query Buyer($id: ID!) { customer(id: $id) {
  id displayName email defaultAddress { ${addressFields} } } }`;
const customerCreate = `mutation BuyerCreate($input: CustomerCreateInput!) {
  customerCreate(input: $input) { customer { id } userErrors { code message path } } }`;

/** An amount that may be left out. */
const optional = (v, field, currency, none = 0) => (text(v, field) ? amount(v, field, currency) : none);

/** What the store computes the order by; null where the person types its amounts. */
const pricing = (v, currency) => v.get('amounts') === 'own' ? null : {
  discountCode: text(v, 'pricing.discountCode'),
  discountMinor: optional(v, 'pricing.discountMinor', currency, null),
  shippingRateId: text(v, 'pricing.shippingRateId'),
  shippingMinor: optional(v, 'pricing.shippingMinor', currency, null) };

/** What the person typed, as the server takes it. */
function input(v, { rows, buyer, currency }) {
  if (rows.length === 0) {
    throw new Failure('Add at least one item.', 'validation_failed');
  }
  return {
    customerId: buyer?.id ?? null, email: text(v, 'email'),
    lines: rows.map((r, i) => line(v, 'lines.' + i, r, currency)),
    pricing: pricing(v, currency), shippingMinor: optional(v, 'shippingMinor', currency),
    shippingAddress: addressOf(v, 'shippingAddress'), tags: parts(v, 'tags', ','),
  };
}

function line(v, at, r, currency) {
  const typed = (v.get(at + '.quantity') ?? '').trim();
  if (!/^\d{1,9}$/.test(typed)) {
    throw new Wrong(at + '.quantity', 'Enter a whole number.');
  }
  const own = r.productId ? { productId: r.productId, variantId: r.variantId ?? null }
    : { title: v.get(at + '.title'), unitPriceMinor: amount(v, at + '.unitPriceMinor', currency) };
  return { ...own, quantity: Number(typed), discountMinor: optional(v, at + '.discountMinor', currency),
    taxMinor: optional(v, at + '.taxMinor', currency) };
}

const back = { href: to('/orders'), text: 'Orders' };

export function OrderNew() {
  const { store, notify } = useApp();
  const f = useFilters();
  const given = useQuery(f.customer ? customer : '', { id: f.customer });
  const [rows, setRows] = useState([]);
  const [buyer, setBuyer] = useState(null);
  const [own, setOwn] = useState(false);
  const next = useRef(0);
  const box = useRef(null);
  const make = useMutation(create);
  const person = useMutation(customerCreate);
  useEffect(() => given.data?.customer && setBuyer(given.data.customer), [given.data]);
  const add = (of) => setRows((all) => [...all, { ...of, at: next.current++ }]);
  const chosen = { rows, buyer, currency: store.currency };
  const sums = usePreview(box, chosen);
  const action = async (v) => {
    const order = input(v, chosen);
    if (!buyer && v.get('newCustomer') === 'yes') {
      const { customer: made } = await person({ input: { email: order.email, firstName: text(v, 'firstName'),
        lastName: text(v, 'lastName'), defaultAddress: order.shippingAddress } });
      order.customerId = made.id;
      setBuyer({ ...made, displayName: order.email ?? 'New customer' }); // made once, should the order be refused
    }
    const made = (await make({ input: order })).order;
    notify('Order #' + made.number + ' created.');
    go(to('/orders/' + made.id), { replace: true });
  };
  return html`<${Page} title="New order" back=${back}
      lead="Creating the order reserves its items. It starts open and unpaid.">
    <div ref=${box} onInput=${sums.soon} onChange=${sums.soon}>
    <${Form} name="order-new" submit="Create order" busyText="Creating" action=${action}>
      <div class="split"><div class="stack">
        <${Card} title="Products"><${ProductPicker} add=${add} /><//>
        <${Items} rows=${rows} own=${own} sums=${sums.of} add=${add}
          drop=${(at) => setRows((all) => all.filter((r) => r.at !== at))} />
      </div><div class="stack">
        <${Buyer} of=${buyer} choose=${setBuyer} />
        <${Card} title="Delivery">
          <${AddressFields} key=${buyer?.id} name="shippingAddress" legend="Ship to" of=${buyer?.defaultAddress} />
          <${Field} name="tags" label="Tags" optional hint="Separate tags with commas." /><//>
        <${Amounts} own=${own} setOwn=${setOwn} rates=${sums.rates} />
        <${Sums} sums=${sums} />
      </div></div>
    <//></div>
  <//>`;
}

/** The lines of the order, those that are of no product too. */
function Items({ rows, own, sums, add, drop }) {
  const { store } = useApp();
  const money = (name, label, rest) => html`<${Amount} name=${name} label=${label} currency=${store.currency}
    ...${rest} />`;
  const row = (r, i) => html`<div key=${r.at} class="row-box" role="group" aria-label=${'Item ' + (i + 1)}>
    <div class="grow">
      ${r.productId ? html`<p class="line-title">
          <bdi>${r.title}</bdi>${r.variant && html`, <bdi>${r.variant}</bdi>`}
          <span class="muted"> <${Money} minor=${r.priceMinor} currency=${r.currency} /></span></p>`
        : html`<${Field} name=${'lines.' + i + '.title'} label="Title" maxlength="255" />
          ${money('lines.' + i + '.unitPriceMinor', 'Unit price')}`}
      <div class="trio"><${Field} name=${'lines.' + i + '.quantity'} label="Quantity" value="1" inputmode="numeric" />
        ${own && money('lines.' + i + '.discountMinor', 'Discount', { optional: true })}
        ${own && money('lines.' + i + '.taxMinor', 'Tax', { optional: true })}</div>
      ${sums?.lineItems[i] && html`<p class="muted">Total <${Money} minor=${sums.lineItems[i].totalMinor}
        currency=${sums.currency} /></p>`}
    </div>
    <button type="button" class="icon-button" aria-label=${'Remove item ' + (i + 1)} onClick=${() => drop(r.at)}
      data-test="item-remove"><${Icon} name="close" /></button></div>`;
  return html`<${Card} title="Items" name="items" actions=${html`<button type="button" class="button small"
      onClick=${() => add({})} data-test="item-custom"><${Icon} name="plus" size="16" />Add custom item</button>`}>
    ${rows.length === 0 ? html`<${Empty} icon="orders" title="No items yet">Add products from the list, or an item of
      your own.<//>` : html`<div class="rows">${rows.map(row)}</div>`}
  <//>`;
}

/** By what the order is computed: the store's discounts, rates and taxes, or what is typed. */
function Amounts({ own, setOwn, rates }) {
  const { store } = useApp();
  const money = (name, label) => html`<${Amount} key=${name} name=${name} label=${label} optional
    currency=${store.currency} />`;
  const offered = rates.map((r) => [r.id, r.name + ', ' + written(r.costMinor, store.currency)]);
  return html`<${Card} title="Discount, shipping and tax" name="amounts">
    <${Select} name="amounts" label="Amounts" value="store" onChange=${(e) => setOwn(e.target.value === 'own')}
      options=${[['store', 'Calculated automatically'], ['own', 'Entered manually']]} />
    ${own ? money('shippingMinor', 'Shipping') : html`
      <div class="pair"><${Field} name="pricing.discountCode" label="Discount code" optional maxlength="64" />
        ${money('pricing.discountMinor', 'Discount amount')}</div>
      <div class="pair"><${Select} name="pricing.shippingRateId" label="Shipping rate" optional
          options=${[['', offered.length > 0 ? 'None' : 'None for this address'], ...offered]} />
        ${money('pricing.shippingMinor', 'Custom shipping price')}</div>`}
  <//>`;
}

/** Who buys: a customer found by their address, a new one, or nobody. */
function Buyer({ of, choose }) {
  const [email, look] = useState('');
  const q = useQuery(email ? customers : '', { filter: { email } });
  const found = email && q.data?.customers.nodes[0];
  useEffect(() => found && choose(found), [found]);
  if (of) {
    return html`<${Card} title="Customer" name="buyer" actions=${html`<button type="button" class="button small"
        onClick=${() => { look(''); choose(null); }} data-test="buyer-other">Another</button>`}>
      <p class="strong"><bdi>${of.displayName}</bdi></p>
      <${Field} name="email" label="Email" type="email" optional value=${of.email} maxlength="254" /><//>`;
  }
  return html`<${Card} title="Customer" name="buyer">
    <${Field} name="email" label="Email" type="email" optional maxlength="254" autocomplete="off"
      hint="An existing customer with this email is used." onChange=${(e) => look(e.target.value.trim())} />
    ${q.failure && html`<${Trouble} failure=${q.failure} />`}
    ${email && q.data && !q.loading && !found && html`<p class="muted" role="status">No customer has this email yet.</p>
      <${Select} name="newCustomer" label="Create a customer" value="yes"
        options=${[['yes', 'Yes, create a customer'], ['no', 'No, for this order only']]} />
      <div class="pair"><${Field} name="firstName" label="First name" optional maxlength="255" />
        <${Field} name="lastName" label="Last name" optional maxlength="255" /></div>`}
  <//>`;
}

/** Lets the server compute what the form says, once it rests for a moment. */
function usePreview(box, chosen) {
  const [state, set] = useState({ of: null, wrong: '', rates: [] });
  const latest = useRef(chosen);
  latest.current = chosen;
  const timer = useRef(0);
  const turn = useRef(0);
  const ask = async () => {
    const mine = ++turn.current;
    const show = (next) => mine === turn.current && set((was) => ({ ...was, ...next }));
    try {
      const values = new FormData(box.current.querySelector('form'));
      const { data } = await send(preview, { input: { ...input(values, latest.current), email: null } });
      show({ of: data.orderPreview, wrong: '', rates: data.orderPreview.shippingRates });
    } catch (err) {
      if (!(err instanceof Wrong || err instanceof Failure)) {
        throw err;
      }
      show({ of: null, wrong: latest.current.rows.length > 0 ? err.message : '' });
    }
  };
  const soon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(ask, 300);
  };
  useEffect(soon, [chosen.rows, chosen.buyer]);
  useEffect(() => () => {
    clearTimeout(timer.current);
    turn.current++;
  }, []);
  return { ...state, soon };
}

function Sums({ sums: { of, wrong } }) {
  const sum = (name, minor, rest = {}) => html`<tr class=${rest.strong ? 'strong' : ''}><th scope="row">${name}</th>
    <td class="end"><${Money} minor=${minor} currency=${of.currency} minus=${rest.minus} /></td></tr>`;
  const shown = of && shownTax(of);
  return html`<${Card} title="Totals" name="sums"><div role="status">
    ${of ? html`<table class="sums"><caption class="unseen">Order totals</caption><tbody>
        ${sum('Subtotal', of.subtotalMinor)}
        ${of.discountMinor > 0 && sum('Discount', of.discountMinor, { minus: true })}
        ${sum('Shipping', shown.shipping)}${shown.tax > 0 && sum('Tax', shown.tax)}
        ${sum('Total', of.totalMinor, { strong: true })}
        ${shown.included > 0 && sum('Including tax', shown.included)}</tbody></table>`
      : html`<p class="muted">${wrong || 'Add an item to see the totals.'}</p>`}
  </div><//>`;
}
