// Changing the items of an order after it was placed.
import { html, useEffect, useRef, useState } from '../lib.js';
import { useQuery, go } from '../context.js';
import { messageOf, send } from '../api.js';
import { Page, Card, Empty, MissingPage, Money, Button } from '../ui.js';
import { Form, Field, Check, Amount, FieldError, amount, errors, useAction } from '../form.js';
import { ProductPicker } from '../product_picker.js';
import { Totals } from '../totals.js';
import { Icon } from '../icons.js';
import { to } from '../route.js';

const read = `query OrderItems($id: ID!) { order(id: $id) { id number currency version totalMinor paidMinor
  paymentMethod
  lineItems { id title options quantity unitPriceMinor } } }`;
const preview = `query LinesPreview($id: ID!, $input: OrderLinesInput!) { orderLinesPreview(id: $id, input: $input) {
  currency subtotalMinor discountMinor shippingMinor taxMinor includedTaxMinor
  taxes { name rate included amountMinor } taxRelief totalMinor } }`;
const edit = `mutation OrderEditLines($id: ID!, $expectedVersion: Long!, $input: OrderLinesInput!) {
  orderEditLines(id: $id, expectedVersion: $expectedVersion, input: $input) { order { id } ${errors} } }`;

function count(values, name) {
  const typed = (values.get(name) ?? '').trim();
  if (!/^\d{1,9}$/.test(typed)) {
    throw new FieldError(name, 'Enter a whole number.');
  }
  return Number(typed);
}

/** The input: lines with another quantity, and the added ones; null if nothing differs. */
function input(values, order, rows) {
  const lines = order.lineItems.map((l) => ({ lineItemId: l.id, quantity: count(values, 'line-' + l.id) }))
    .filter((l, i) => l.quantity !== order.lineItems[i].quantity);
  const add = rows.map((r, i) => ({ quantity: count(values, 'add.' + i + '.quantity'), ...r.productId
    ? { productId: r.productId, variantId: r.variantId ?? null }
    : { title: values.get('add.' + i + '.title'),
      unitPriceMinor: amount(values, 'add.' + i + '.unitPriceMinor', order.currency) } }));
  return lines.length + add.length > 0 ? { lines, add } : null;
}

/** Lets the server calculate the order after a pause in typing. */
function usePreview(box, order, rows) {
  const [state, setState] = useState({ of: null, wrong: '' });
  const timer = useRef(0);
  const turn = useRef(0);
  const latest = useRef(rows);
  latest.current = rows;
  const ask = async () => {
    const mine = ++turn.current;
    let next = { of: null, wrong: '' };
    try {
      const wanted = input(new FormData(box.current.querySelector('form')), order, latest.current);
      if (wanted) {
        next.of = (await send(preview, { id: order.id, input: wanted })).data.orderLinesPreview;
      }
    } catch (err) {
      next.wrong = err instanceof FieldError ? err.message : messageOf(err);
    }
    if (mine === turn.current) {
      setState(next);
    }
  };
  const soon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(ask, 300);
  };
  useEffect(() => {
    rows.length > 0 && soon();
  }, [rows]);
  useEffect(() => () => {
    clearTimeout(timer.current);
    turn.current++;
  }, []);
  return { ...state, soon };
}

export function OrderItems({ id }) {
  const query = useQuery(read, { id });
  const o = query.data?.order;
  const back = { href: to('/orders/' + id), text: 'Order' };
  return o ? html`<${Editor} order=${o} back=${back} reload=${query.reload} />`
    : html`<${MissingPage} query=${query} name="Order" icon="orders" back=${back} />`;
}

function Editor({ order: o, back, reload }) {
  const [rows, setRows] = useState([]);
  const next = useRef(0);
  const box = useRef(null);
  const sums = usePreview(box, o, rows);
  const add = (of) => setRows((all) => [...all, { ...of, at: next.current++ }]);
  const action = useAction(edit, (v) => {
    const wanted = input(v, o, rows);
    if (!wanted) {
      throw new FieldError('line-' + o.lineItems[0].id, 'Nothing has changed yet.');
    }
    return { id: o.id, expectedVersion: o.version, input: { ...wanted, refund: v.has('refund') } };
  }, 'Items changed.', () => go(back.href, { replace: true }));
  const added = (r, i) => html`<div key=${r.at} class="row-box" role="group" aria-label=${'New item ' + (i + 1)}>
    <div class="grow">${r.productId ? html`<p class="line-title"><bdi>${r.title}</bdi>${r.variant &&
        html`, <bdi>${r.variant}</bdi>`} <span class="muted"><${Money} minor=${r.priceMinor}
        currency=${r.currency} /></span></p>`
      : html`<${Field} name=${'add.' + i + '.title'} label="Title" required maxlength="255" />
        <${Amount} name=${'add.' + i + '.unitPriceMinor'} label="Unit price" currency=${o.currency} />`}
      <${Field} name=${'add.' + i + '.quantity'} label="Quantity" value="1" inputmode="numeric" /></div>
    <button type="button" class="icon-button" aria-label=${'Remove new item ' + (i + 1)} data-test="item-remove"
      onClick=${() => setRows((all) => all.filter((x) => x !== r))}><${Icon} name="close" /></button></div>`;
  return html`<${Page} title=${'Edit items of order #' + o.number} back=${back}
      lead="Prices of existing items stay. Tax is calculated again, and stock follows.">
    <div ref=${box} onInput=${sums.soon} onChange=${sums.soon}>
    <${Form} name="order-items" submit="Save items" action=${action} onStale=${reload} reset=${() => setRows([])}>
      <div class="split"><div class="stack">
        <${Card} title="Items" name="items" actions=${html`<${Button} kind="small" icon="plus" act=${() => add({})}
          test="item-custom">Add custom item<//>`}>
          ${o.lineItems.map((l) => html`<${Field} key=${l.id} name=${'line-' + l.id} inputmode="numeric"
            label=${[l.title, ...l.options].join(' / ')} value=${String(l.quantity)} hint="0 removes the item." />`)}
          ${rows.length > 0 && html`<div class="rows under">${rows.map(added)}</div>`}<//>
        <${Card} title="Add products"><${ProductPicker} add=${add} /><//>
      </div><div class="stack">
        <${Card} title="New totals" name="sums"><div role="status">
          ${sums.of ? html`<${Totals} of=${sums.of} caption="New order totals" />
              <div class="under" data-test="difference"><${Difference} order=${o} total=${sums.of.totalMinor} /></div>`
            : sums.wrong ? html`<p class="wrong">${sums.wrong}</p>`
            : html`<${Empty} icon="orders" title="Change an item to see the new totals." />`}</div><//>
      </div></div><//></div>
  <//>`;
}

/** What remains to be paid after the change. */
function Difference({ order: o, total }) {
  const owed = total - o.paidMinor;
  return owed > 0 ? html`To pay: <strong><${Money} minor=${owed} currency=${o.currency} /></strong>. You can request
      this payment on the page of the order.`
    : owed < 0 ? html`<p><${Money} minor=${-owed} currency=${o.currency} /> more than the new total was paid.
        ${o.paymentMethod === 'STRIPE' ? ' Stripe payments are refunded through Stripe.'
          : ' Return the money yourself.'}</p>
      <${Check} name="refund" label="Refund the difference" />`
    : 'Nothing remains to be paid.';
}
