// Exchanging the items of a return for a new order.
import { html, useEffect, useRef, useState } from './lib.js';
import { go, useQuery } from './context.js';
import { Money, Pending } from './ui.js';
import { Check, Field, FieldError, FormDialog, Amount, Select, errors, optionalAmount, text,
  useAction } from './form.js';
import { messageOf } from './api.js';
import { ProductPicker } from './product_picker.js';
import { Icon } from './icons.js';
import { Restock, received } from './stock_places.js';
import { Totals } from './totals.js';
import { to } from './route.js';

const preview = `query ExchangePreview($id: ID!, $input: ReturnExchangeInput!) {
  orderReturnExchangePreview(id: $id, input: $input) { worthMinor creditMinor dueMinor restMinor
    order { currency subtotalMinor discountMinor shippingMinor taxMinor includedTaxMinor
      taxes { name rate included amountMinor } taxRelief totalMinor } } }`;
const exchange = `mutation OrderReturnExchange($id: ID!, $expectedVersion: Long!, $input: ReturnExchangeInput!) {
  orderReturnExchange(id: $id, expectedVersion: $expectedVersion, input: $input) {
    return { id exchange { id number } } ${errors} } }`;
const methods = '{ paymentSettings { methods { kind name active } } }';

/** The lines and amounts that decide what the new order costs; null without lines. */
function priced(v, rows, currency) {
  const lines = rows.map((r) => {
    const typed = (v.get('quantity.' + r.at) ?? '1').trim();
    if (!/^\d{1,9}$/.test(typed)) {
      throw new FieldError('quantity.' + r.at, 'Enter a whole number.');
    }
    return { productId: r.productId, variantId: r.variantId ?? null, quantity: Number(typed) };
  });
  return lines.length === 0 ? null : { lines, pricing: {
    discountMinor: optionalAmount(v, 'discountMinor', currency),
    shippingMinor: optionalAmount(v, 'shippingMinor', currency) } };
}

/** What the exchange costs, as the server calculates it. */
function usePreview(of, rows, box) {
  const [at, setAt] = useState({ input: null, wrong: '' });
  const query = useQuery(at.input ? preview : '', { id: of.id, input: at.input });
  const ask = () => {
    try {
      setAt({ input: priced(new FormData(box.current.closest('form')), rows, of.order.currency), wrong: '' });
    } catch (err) {
      setAt({ input: null, wrong: err.message });
    }
  };
  useEffect(ask, [rows]);
  return { ask, wrong: at.wrong || (query.failure ? messageOf(query.failure) : ''),
    of: at.input && query.data?.orderReturnExchangePreview };
}

/** Chooses the new items of a return, shows the difference, and creates the order. */
export function Exchange({ of: r, onClose, changed }) {
  const o = r.order;
  const [rows, setRows] = useState([]);
  const next = useRef(0);
  const box = useRef(null);
  const sums = usePreview(r, rows, box);
  const action = useAction(exchange, (v) => {
    const input = priced(v, rows, o.currency);
    if (!input) {
      throw new FieldError('discountMinor', 'Add at least one item.');
    }
    return { id: r.id, expectedVersion: r.version, input: { ...input,
      restock: v.has('restock'), location: text(v, 'location'),
      refundRest: v.has('refundRest'), payment: v.get('method') ? { method: v.get('method') } : null } };
  }, (done) => 'Order #' + done.return.exchange.number + ' created.',
  (done) => go(to('/orders/' + done.return.exchange.id)));
  const title = o.lineItems.find((l) => l.id === r.lines[0]?.lineItemId)?.title ?? '';
  return html`<${FormDialog} title="Exchange return" name="return-exchange" submit="Create order" onClose=${onClose}
    onStale=${changed} action=${action}>
    <div ref=${box} class="stack" onChange=${sums.ask}>
      <p>Choose what the customer gets instead, at today's prices. The value of the returned items pays for it.</p>
      <${ProductPicker} first=${title} add=${(of) => setRows((all) => [...all, { ...of, at: next.current++ }])} />
      ${rows.map((row) => html`<div key=${row.at} class="row-box" role="group" aria-label=${row.title}>
        <div class="grow"><p class="line-title"><bdi>${row.title}</bdi>${row.variant &&
            html`, <bdi>${row.variant}</bdi>`} <span class="muted"><${Money} minor=${row.priceMinor}
            currency=${row.currency} /></span></p>
          <${Field} name=${'quantity.' + row.at} label="Quantity" value="1" inputmode="numeric" /></div>
        <button type="button" class="icon-button" aria-label=${'Remove ' + row.title} data-test="item-remove"
          onClick=${() => setRows((all) => all.filter((x) => x !== row))}><${Icon} name="close" /></button></div>`)}
      <div class="pair"><${Amount} name="discountMinor" label="Discount" optional currency=${o.currency}
          hint="For example, to exchange at the same price." />
        <${Amount} name="shippingMinor" label="Shipping" optional currency=${o.currency} hint="Empty is free." /></div>
      ${o.status !== 'CANCELLED' && html`<${Restock} label="Restock the returned items" value=${true}
        none=${received} />`}
      <div role="status">${sums.of ? html`<${Totals} of=${sums.of.order} caption="Totals of the new order" />
          <${Difference} of=${sums.of} order=${o} />`
        : html`<p class="muted">${sums.wrong || 'Add an item to see the difference.'}</p>`}</div>
    </div>
  <//>`;
}

/** What is to be paid or to be refunded. */
function Difference({ of, order: o }) {
  const money = (minor) => html`<strong><${Money} minor=${minor} currency=${o.currency} /></strong>`;
  return html`<div class="under" data-test="difference">
    <p>Value of the returned items: ${money(of.worthMinor)}</p>
    ${of.dueMinor > 0 && html`<p>To pay: ${money(of.dueMinor)}</p><${PayRest} order=${o} />`}
    ${of.restMinor > 0 && html`<p>Not used by the new order: ${money(of.restMinor)}</p>
      <${Check} name="refundRest" label="Refund the rest" value=${true} hint=${o.paymentMethod === 'STRIPE'
        ? 'It is refunded through Stripe.' : 'This only records the refund. Return the money yourself.'} />`}
    ${of.dueMinor + of.restMinor === 0 && html`<p>Nothing remains to be paid.</p>`}
  </div>`;
}

/** Whether the customer gets a link to pay the rest. */
function PayRest({ order: o }) {
  const query = useQuery(methods);
  if (!query.data) {
    return html`<${Pending} of=${query} rows=${1} />`;
  }
  const offered = query.data.paymentSettings.methods.filter((m) => m.active).map((m) => [m.kind, m.name || m.kind]);
  const former = offered.some(([kind]) => kind === o.paymentMethod) ? o.paymentMethod : '';
  return html`<${Select} name="method" label="Request the rest by" optional value=${former}
    options=${[['', 'No request now'], ...offered]}
    hint="The customer gets an email with a link, and has 14 days. You can also request it later." />`;
}
