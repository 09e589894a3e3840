// The to-do list on Home: each line has a count and a link.
import { html } from './lib.js';
import { useApp, useQuery } from './context.js';
import { Badge, Card, Pending } from './ui.js';
import { Icon } from './icons.js';
import { to } from './route.js';
import { health } from './webhook_state.js';

const count = '{ count more }';

/** The query, with only what the role allows. */
const read = (can) => `query Work {
  ${can('orders') ? `orderWork { toShip ${count} partlyShipped ${count} unpaid ${count} partlyPaid ${count} }
    returns(first: 50, filter: { state: REQUESTED }) { nodes { id } pageInfo { hasNextPage } }` : ''}
  lowStock { items ${count} fewest { productId title variantTitle inventoryQuantity } } }`;

/** The lines, most urgent first. Each links to a list with the filters of its count. */
function taskLines({ orderWork: o, returns: r }, endpoints) {
  const failing = endpoints?.filter((e) => ['FAILING', 'SUSPENDED'].includes(health(e))).length ?? 0;
  const line = (n, text, many, icon, href) => ({ n, text: n?.count === 1 && !n.more ? text : many, icon, href });
  return [
    line(o?.toShip, 'order to fulfill', 'orders to fulfill', 'truck',
      to('/orders', { status: 'OPEN', payment: 'PAID', shipping: 'UNFULFILLED' })),
    line(o?.partlyShipped, 'partially fulfilled order', 'partially fulfilled orders', 'truck',
      to('/orders', { status: 'OPEN', shipping: 'PARTIALLY_FULFILLED' })),
    line(o?.unpaid, 'unpaid order', 'unpaid orders', 'money', to('/orders', { payment: 'PENDING' })),
    line(o?.partlyPaid, 'partially paid order', 'partially paid orders', 'money',
      to('/orders', { status: 'OPEN', payment: 'PARTIALLY_PAID' })),
    line(r && { count: r.nodes.length, more: r.pageInfo.hasNextPage }, 'return to answer', 'returns to answer', 'undo',
      to('/returns', { state: 'REQUESTED' })),
    line({ count: failing, more: false }, 'failing webhook endpoint', 'failing webhook endpoints',
      'webhooks', to('/webhooks')),
  ].filter((t) => t.n && (t.n.count > 0 || t.n.more));
}

/** A count that may stop at a limit: "1,000+". */
const number = (n) => n.count.toLocaleString() + (n.more ? '+' : '');

export const useWork = () => useQuery(read(useApp().can));

/** endpoints is null if the role does not allow webhooks. */
export function Work({ q, endpoints }) {
  const list = q.data ? taskLines(q.data, endpoints) : [];
  const low = q.data?.lowStock;
  const scarce = low && low.items.count > 0;
  return html`<${Card} title="To do" name="work">
    ${!q.data ? html`<${Pending} of=${q} rows=${3} />`
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
