// Printing up to 100 orders: one page each, or packing slips without prices.
import { html, useEffect, useState } from '../lib.js';
import { useApp, useFilters, useQuery } from '../context.js';
import { Page, Card, Money, Time, Alert, Pending, Button } from '../ui.js';
import { addressFields } from '../address_fields.js';
import { to } from '../route.js';
import { unfulfilled } from '../order_state.js';
import { Totals } from '../totals.js';
import { Address } from './order.js';

const maxOrders = 100;
const batchSize = 20; // of one query

const fields = (notes) => `id number externalNumber placedAt currency email status
  subtotalMinor discountMinor shippingMinor taxMinor includedTaxMinor totalMinor paidMinor
  taxes { name rate included amountMinor } taxRelief vatId
  ${notes ? 'shopperNote' : ''}
  shippingMethod shippingAddress { ${addressFields} } billingAddress { ${addressFields} }
  lineItems { id title options sku quantity fulfilledQuantity refundedQuantity requiresShipping totalMinor }`;

const read = (ids, notes) => 'query Print(' + ids.map((_, i) => `$i${i}: ID!`).join(', ') + ') {'
  + ids.map((_, i) => `o${i}: order(id: $i${i}) { ...O }`).join(' ') + `} fragment O on Order { ${fields(notes)} }`;

/** The address is /orders/print?ids=ord_1,ord_2&as=slip. */
export function OrderPrint() {
  const f = useFilters();
  const ids = [...new Set((f.ids ?? '').split(',').filter(Boolean))];
  const slip = f.as === 'slip';
  const shown = ids.slice(0, maxOrders);
  const batches = shown.flatMap((_, i) => (i % batchSize === 0 ? [shown.slice(i, i + batchSize)] : []));
  const [ready, setReady] = useState([]); // the batches that are loaded
  const one = ids.length === 1;
  const actions = html`
    <a class="button" href=${to('/orders/print', { ids: ids.join(','), as: slip ? '' : 'slip' })}
      data-test="print-as">${slip ? 'With prices' : 'Packing slip'}</a>
    <${Button} kind="primary" icon="print" act=${() => print()} test="print"
      disabled=${ready.length === 0 || ready.length < batches.length}>Print<//>`;
  return html`<${Page} title=${(slip ? 'Packing slip' : 'Order') + (one ? '' : 's') + (slip ? '' : ' to print')}
    actions=${actions} back=${{ href: to('/orders' + (one ? '/' + ids[0] : '')), text: one ? 'Order' : 'Orders' }}>
    ${ids.length > maxOrders && html`<${Alert} tone="info">
      The first ${maxOrders} of ${ids.length} orders are shown.<//>`}
    ${ids.length === 0 && html`<p>No orders selected.</p>`}
    ${batches.map((b) => html`<${Batch} key=${b.join()} ids=${b} slip=${slip}
      loaded=${() => setReady((now) => [...now, b[0]])} />`)}
  <//>`;
}

function Batch({ ids, slip, loaded }) {
  const { can } = useApp();
  const query = useQuery(read(ids, can('notes')), Object.fromEntries(ids.map((id, i) => ['i' + i, id])));
  const orders = Object.values(query.data ?? {}).filter(Boolean);
  useEffect(() => {
    if (orders.length > 0) {
      loaded();
    }
  }, [orders.length > 0]);
  return !query.data ? html`<${Card}><${Pending} of=${query} rows=${8} /><//>`
    : html`${orders.length < ids.length && html`<${Alert} tone="info">
        ${ids.length - orders.length} of the orders are not in this store.<//>`}
      ${orders.map((o) => html`<${Sheet} key=${o.id} order=${o} slip=${slip} />`)}`;
}

function Sheet({ order: o, slip }) {
  const { store } = useApp();
  const goods = o.lineItems.filter((l) => l.requiresShipping);
  // When everything is fulfilled, the slip lists what was shipped.
  const pending = goods.some((l) => unfulfilled(l) > 0);
  const packed = (l) => (pending ? unfulfilled(l) : l.fulfilledQuantity);
  const lines = slip ? goods.filter((l) => packed(l) > 0) : o.lineItems;
  return html`<article class="sheet card" aria-label=${'Order #' + o.number} data-test="sheet">
    <header>${store.logo && html`<img class="sheet-logo" src=${store.logo} alt="" />`}
      <p class="strong"><bdi>${store.name}</bdi></p>
      <h2>${slip ? 'Packing slip, order' : 'Order'} #${o.number}</h2>
      ${o.externalNumber && html`<p>External number: <bdi>${o.externalNumber}</bdi></p>`}
      <p><${Time} at=${o.placedAt} how="date" />${o.shippingMethod && html`, <bdi>${o.shippingMethod}</bdi>`}
        ${o.status === 'CANCELLED' && ', cancelled'}</p></header>
    <div class="pair">
      ${o.shippingAddress && html`<div><h3>Ship to</h3><${Address} of=${o.shippingAddress} /></div>`}
      ${!slip && o.billingAddress && html`<div><h3>Bill to</h3><${Address} of=${o.billingAddress} /></div>`}
      ${!slip && o.vatId && html`<div><h3>VAT ID</h3><p>${o.vatId}</p></div>`}
      ${!slip && o.email && html`<div><h3>Email</h3><p>${o.email}</p></div>`}</div>
    ${lines.length === 0 ? html`<p>This order has no items to ship.</p>` : html`<table class="sheet-lines">
      <thead><tr><th scope="col">Item</th><th scope="col">SKU</th>
        <th scope="col" class="end">Quantity</th>${!slip && html`<th scope="col" class="end">Total</th>`}</tr></thead>
      <tbody>${lines.map((l) => html`<tr key=${l.id}><td><bdi>${l.title}</bdi>${l.options.length > 0 && html`
          <span class="block"><bdi>${l.options.join(' / ')}</bdi></span>`}</td><td><bdi>${l.sku}</bdi></td>
        <td class="end">${slip ? packed(l) : l.quantity}</td>
        ${!slip && html`<td class="end"><${Money} minor=${l.totalMinor} currency=${o.currency} /></td>`}</tr>`)}</tbody>
    </table>`}
    ${slip && o.shopperNote && html`<div data-test="sheet-note"><h3>Note</h3>
      <p class="verbatim">${o.shopperNote}</p></div>`}
    ${!slip && html`<${Totals} of=${o} caption="Amounts" all=${false} />`}
  </article>`;
}
