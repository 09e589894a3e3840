// Creating an order for a customer.
import { html, useEffect, useRef, useState } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Failure, messageOf, send } from '../api.js';
import { Page, Card, Empty, Money, LoadError, Button } from '../ui.js';
import {
  Form, Field, Select, Amount, FieldError, amount, text, lines as parts, useMutation, optionalAmount,
} from '../form.js';
import { AddressFields, addressFields, addressOf } from '../address_fields.js';
import { ProductPicker } from '../product_picker.js';
import { Icon } from '../icons.js';
import { money as formatMoney } from '../money.js';
import { Totals } from '../totals.js';
import { to } from '../route.js';

const create = `mutation OrderCreate($input: OrderCreateInput!) {
  orderCreate(input: $input) { order { id number } userErrors { code message path } } }`;
const preview = `query Preview($input: OrderCreateInput!) { orderPreview(input: $input) {
  currency lineItems { totalMinor } subtotalMinor discountMinor shippingMinor taxMinor includedTaxMinor
  taxes { name rate included amountMinor } taxRelief totalMinor
  shippingRates { id name costMinor } } }`;
const customers = `query Buyers($filter: CustomerFilter) { customers(first: 1, filter: $filter) {
  nodes { id displayName email defaultAddress { ${addressFields} } } } }`;
const customer = `query Buyer($id: ID!) { customer(id: $id) {
  id displayName email defaultAddress { ${addressFields} } } }`;
const customerCreate = `mutation BuyerCreate($input: CustomerCreateInput!) {
  customerCreate(input: $input) { customer { id } userErrors { code message path } } }`;

/** The input for calculated amounts; null if they are entered manually. */
const pricing = (v, currency) => v.get('amounts') === 'own' ? null : {
  discountCode: text(v, 'pricing.discountCode'),
  discountMinor: optionalAmount(v, 'pricing.discountMinor', currency),
  shippingRateId: text(v, 'pricing.shippingRateId'),
  shippingMinor: optionalAmount(v, 'pricing.shippingMinor', currency),
  vatId: text(v, 'pricing.vatId') };

function input(v, { rows, buyer, currency }) {
  if (rows.length === 0) {
    throw new Failure('Add at least one item.', 'validation_failed');
  }
  return {
    customerId: buyer?.id ?? null, email: text(v, 'email'),
    lines: rows.map((r, i) => line(v, 'lines.' + i, r, currency)),
    pricing: pricing(v, currency), shippingMinor: optionalAmount(v, 'shippingMinor', currency) ?? 0,
    shippingAddress: addressOf(v, 'shippingAddress'), tags: parts(v, 'tags', ','),
  };
}

function line(v, at, r, currency) {
  const typed = (v.get(at + '.quantity') ?? '').trim();
  if (!/^\d{1,9}$/.test(typed)) {
    throw new FieldError(at + '.quantity', 'Enter a whole number.');
  }
  const own = r.productId ? { productId: r.productId, variantId: r.variantId ?? null }
    : { title: v.get(at + '.title'), unitPriceMinor: amount(v, at + '.unitPriceMinor', currency) };
  return { ...own, quantity: Number(typed), discountMinor: optionalAmount(v, at + '.discountMinor', currency) ?? 0,
    taxMinor: optionalAmount(v, at + '.taxMinor', currency) ?? 0 };
}

const back = { href: to('/orders'), text: 'Orders' };

export function OrderNew() {
  const { store, notify } = useApp();
  const f = useFilters();
  const preselected = useQuery(f.customer ? customer : '', { id: f.customer });
  const [rows, setRows] = useState([]);
  const [buyer, setBuyer] = useState(null);
  const [manual, setManual] = useState(false);
  const next = useRef(0);
  const box = useRef(null);
  const runCreate = useMutation(create);
  const runCreateCustomer = useMutation(customerCreate);
  useEffect(() => preselected.data?.customer && setBuyer(preselected.data.customer), [preselected.data]);
  const add = (of) => setRows((all) => [...all, { ...of, at: next.current++ }]);
  const chosen = { rows, buyer, currency: store.currency };
  const sums = usePreview(box, chosen);
  const action = async (v) => {
    const order = input(v, chosen);
    if (!buyer && v.get('newCustomer') === 'yes') {
      const { customer: made } = await runCreateCustomer({ input: { email: order.email, firstName: text(v, 'firstName'),
        lastName: text(v, 'lastName'), defaultAddress: order.shippingAddress } });
      order.customerId = made.id;
      setBuyer({ ...made, displayName: order.email ?? 'New customer' }); // not created again if the order is refused
    }
    const made = (await runCreate({ input: order })).order;
    notify('Order #' + made.number + ' created.');
    go(to('/orders/' + made.id), { replace: true });
  };
  return html`<${Page} title="New order" back=${back}
      lead="Creating the order reserves its items. It starts open and unpaid.">
    <div ref=${box} onInput=${sums.soon} onChange=${sums.soon}>
    <${Form} name="order-new" submit="Create order" busyText="Creating" action=${action}>
      <div class="split"><div class="stack">
        <${Card} title="Products"><${ProductPicker} add=${add} /><//>
        <${Items} rows=${rows} manual=${manual} sums=${sums.of} add=${add}
          remove=${(at) => setRows((all) => all.filter((r) => r.at !== at))} />
      </div><div class="stack">
        <${Buyer} of=${buyer} choose=${setBuyer} />
        <${Card} title="Delivery">
          <${AddressFields} key=${buyer?.id} name="shippingAddress" legend="Ship to" of=${buyer?.defaultAddress} />
          <${Field} name="tags" label="Tags" optional hint="Separate tags with commas." /><//>
        <${Amounts} manual=${manual} setManual=${setManual} rates=${sums.rates} />
        <${Sums} sums=${sums} />
      </div></div>
    <//></div>
  <//>`;
}

function Items({ rows, manual, sums, add, remove }) {
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
        ${manual && money('lines.' + i + '.discountMinor', 'Discount', { optional: true })}
        ${manual && money('lines.' + i + '.taxMinor', 'Tax', { optional: true })}</div>
      ${sums?.lineItems[i] && html`<p class="muted">Total <${Money} minor=${sums.lineItems[i].totalMinor}
        currency=${sums.currency} /></p>`}
    </div>
    <button type="button" class="icon-button" aria-label=${'Remove item ' + (i + 1)} onClick=${() => remove(r.at)}
      data-test="item-remove"><${Icon} name="close" /></button></div>`;
  return html`<${Card} title="Items" name="items" actions=${html`<${Button} kind="small" icon="plus"
    act=${() => add({})} test="item-custom">Add custom item<//>`}>
    ${rows.length === 0 ? html`<${Empty} icon="orders" title="No items yet">Add products from the list, or
      a custom item.<//>` : html`<div class="rows">${rows.map(row)}</div>`}
  <//>`;
}

/** Whether amounts are calculated from the store's settings or entered manually. */
function Amounts({ manual, setManual, rates }) {
  const { store } = useApp();
  const money = (name, label) => html`<${Amount} key=${name} name=${name} label=${label} optional
    currency=${store.currency} />`;
  const offered = rates.map((r) => [r.id, r.name + ', ' + formatMoney(r.costMinor, store.currency)]);
  return html`<${Card} title="Discount, shipping and tax" name="amounts">
    <${Select} name="amounts" label="Amounts" value="store" onChange=${(e) => setManual(e.target.value === 'own')}
      options=${[['store', 'Calculated automatically'], ['own', 'Entered manually']]} />
    ${manual ? money('shippingMinor', 'Shipping') : html`
      <div class="pair"><${Field} name="pricing.discountCode" label="Discount code" optional maxlength="64" />
        ${money('pricing.discountMinor', 'Discount amount')}</div>
      <div class="pair"><${Select} name="pricing.shippingRateId" label="Shipping rate" optional
          options=${[['', offered.length > 0 ? 'None' : 'None for this address'], ...offered]} />
        ${money('pricing.shippingMinor', 'Custom shipping price')}</div>
      <${Field} name="pricing.vatId" label="VAT ID of the buyer" optional maxlength="20" autocomplete="off" />`}
  <//>`;
}

/** The customer: an existing one found by email, a new one, or none. */
function Buyer({ of, choose }) {
  const [email, setEmail] = useState('');
  const q = useQuery(email ? customers : '', { filter: { email } });
  const found = email && q.data?.customers.nodes[0];
  useEffect(() => found && choose(found), [found]);
  if (of) {
    return html`<${Card} title="Customer" name="buyer" actions=${html`<${Button} kind="small"
      act=${() => { setEmail(''); choose(null); }} test="buyer-other">Change<//>`}>
      <p class="strong"><bdi>${of.displayName}</bdi></p>
      <${Field} name="email" label="Email" type="email" optional value=${of.email} maxlength="254" /><//>`;
  }
  return html`<${Card} title="Customer" name="buyer">
    <${Field} name="email" label="Email" type="email" optional maxlength="254" autocomplete="off"
      hint="An existing customer with this email is used." onChange=${(e) => setEmail(e.target.value.trim())} />
    ${q.failure && html`<${LoadError} failure=${q.failure} />`}
    ${email && q.data && !q.loading && !found && html`<p class="muted" role="status">No customer has this email yet.</p>
      <${Select} name="newCustomer" label="Create a customer" value="yes"
        options=${[['yes', 'Yes, create a customer'], ['no', 'No, for this order only']]} />
      <div class="pair"><${Field} name="firstName" label="First name" optional maxlength="255" />
        <${Field} name="lastName" label="Last name" optional maxlength="255" /></div>`}
  <//>`;
}

/** Lets the server calculate the order after a pause in typing. */
function usePreview(box, chosen) {
  const [state, setState] = useState({ of: null, wrong: '', rates: [] });
  const latest = useRef(chosen);
  latest.current = chosen;
  const timer = useRef(0);
  const turn = useRef(0);
  const ask = async () => {
    const mine = ++turn.current;
    const show = (next) => mine === turn.current && setState((was) => ({ ...was, ...next }));
    try {
      const values = new FormData(box.current.querySelector('form'));
      const { data } = await send(preview, { input: { ...input(values, latest.current), email: null } });
      show({ of: data.orderPreview, wrong: '', rates: data.orderPreview.shippingRates });
    } catch (err) {
      const message = err instanceof FieldError ? err.message : messageOf(err);
      show({ of: null, wrong: latest.current.rows.length > 0 ? message : '' });
    }
  };
  const schedule = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(ask, 300);
  };
  useEffect(schedule, [chosen.rows, chosen.buyer]);
  useEffect(() => () => {
    clearTimeout(timer.current);
    turn.current++;
  }, []);
  return { ...state, soon: schedule };
}

function Sums({ sums: { of, wrong } }) {
  return html`<${Card} title="Totals" name="sums"><div role="status">
    ${of ? html`<${Totals} of=${of} caption="Order totals" />`
      : html`<p class="muted">${wrong || 'Add an item to see the totals.'}</p>`}
  </div><//>`;
}
