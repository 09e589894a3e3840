// What there is to do, for the home page: each line is a count and a link to what it counts.
import { html } from './lib.js';
import { useApp, useQuery } from './context.js';
import { Badge, Card, Trouble, Waiting } from './ui.js';
import { Icon } from './icons.js';
import { to } from './route.js';
import { health } from './webhook_state.js';

const count = '{ count more }';

/** One query, of what the role reaches. */
const read = (can) => `query Work {
  ${can('orders') ? `orderWork { toShip ${count} partlyShipped ${count} unpaid ${count} partlyPaid ${count} }` : ''}
  lowStock { items ${count} fewest { productId title variantTitle inventoryQuantity } } }`;

/** The lines, by urgency. Links lead to a list that is filtered as the count is. */
function tasks({ orderWork: o }, endpoints) {
  const ill = endpoints?.filter((e) => ['FAILING', 'SUSPENDED'].includes(health(e))).length ?? 0;
  const one = (n, text, many, icon, href) => ({ n, text: n?.count === 1 && !n.more ? text : many, icon, href });
  return [
    one(o?.toShip, 'order to fulfill', 'orders to fulfill', 'truck',
      to('/orders', { status: 'OPEN', payment: 'PAID', shipping: 'UNFULFILLED' })),
    one(o?.partlyShipped, 'partially fulfilled order', 'partially fulfilled orders', 'truck',
      to('/orders', { status: 'OPEN', shipping: 'PARTIALLY_FULFILLED' })),
    one(o?.unpaid, 'unpaid order', 'unpaid orders', 'money', to('/orders', { payment: 'PENDING' })),
    one(o?.partlyPaid, 'partially paid order', 'partially paid orders', 'money',
      to('/orders', { status: 'OPEN', payment: 'PARTIALLY_PAID' })),
    one({ count: ill, more: false }, 'failing webhook endpoint', 'failing webhook endpoints',
      'webhooks', to('/webhooks')),
  ].filter((t) => t.n && (t.n.count > 0 || t.n.more));
}

/** A count that may be of a part only: "1,000+". */
const number = (n) => n.count.toLocaleString() + (n.more ? '+' : '');

/** What {@link Work} shows. */
export const useWork = () => useQuery(read(useApp().can));

/** endpoints are those of the store; null where the role does not see them. */
export function Work({ q, endpoints }) {
  const list = q.data ? tasks(q.data, endpoints) : [];
  const low = q.data?.lowStock;
  const scarce = low && low.items.count > 0;
  return html`<${Card} title="To do" name="work">
    ${q.failure ? html`<${Trouble} failure=${q.failure} reload=${q.reload} />`
      : !q.data ? html`<${Waiting} rows=${3} />`
      : list.length === 0 && !scarce ? html`<p class="muted">Nothing to do.</p>`
      : html`<ul class="work">${list.map((t) => html`<li key=${t.text}>
          <a href=${t.href}><${Icon} name=${t.icon} />
            <span><span class="strong">${number(t.n)}</span> ${t.text}</span></a>
        </li>`)}
        ${scarce && html`<li><p><${Icon} name="products" /><span><span class="strong">${number(low.items)}</span>
          ${' '}sold out or nearly sold out</span></p>
          <ul>${low.fewest.map((i) => html`<li key=${i.productId + i.variantTitle}>
            <a href=${to('/products/' + i.productId)}><bdi>${i.title}</bdi>${i.variantTitle && html`, <bdi>${
              i.variantTitle}</bdi>`}</a> <${Badge} value=${i.inventoryQuantity > 0 ? 'WARNING' : 'CRITICAL'}
              text=${i.inventoryQuantity > 0 ? i.inventoryQuantity + ' left' : 'Sold out'} /></li>`)}</ul></li>`}</ul>`}
  <//>`;
}
