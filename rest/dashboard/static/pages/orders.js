// The list of orders, with its filters in the address.
import { html, useRef, useState } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Page, Empty, Button } from '../ui.js';
import { List } from '../list.js';
import { listColumns, useListKeys } from '../order_list.js';
import { Filters, FilterSelect, FilterInput, FilterSort, FilterTag, sortOf } from '../filter.js';
import { BulkBar, SelectFound, useSelection } from '../bulk.js';
import { OrderBulk } from '../order_bulk.js';
import { BulkInvoices } from '../invoices.js';
import { ExportList } from '../export_actions.js';
import { SavedViews } from '../saved_views.js';
import { StateTabs } from '../tabs.js';
import { dayRange } from '../dates.js';
import { to } from '../route.js';
import { Icon } from '../icons.js';

const list = (customers) => `query Orders($after: String, $filter: OrderFilter, $query: String,
  $sort: ListSort, $first: Int = 25) {
  orders(first: $first, after: $after, filter: $filter, query: $query, sort: $sort) {
    nodes { id number externalNumber placedAt status financialStatus fulfillmentStatus totalMinor paidMinor currency
      email tags version lineItems { quantity } shippingAddress { country }
      ${customers ? 'customer { displayName }' : ''} }
    pageInfo { hasNextPage endCursor }
  }
}`;

const counts = '{ orderCounts { open { value more } completed { value more } cancelled { value more } } }';

export const statuses = ['OPEN', 'COMPLETED', 'CANCELLED'];
const financial = ['PENDING', 'PARTIALLY_PAID', 'PAID', 'PARTIALLY_REFUNDED', 'REFUNDED', 'VOIDED'];
const fulfillment = ['UNFULFILLED', 'PARTIALLY_FULFILLED', 'FULFILLED'];

const ages = ['1', '2', '3', '7', '14', '30'];
const ageText = (v) => (v === 'range' ? 'Between dates' : `Over ${v} ${v === '1' ? 'day' : 'days'} ago`);
const hour = 3600e3;

const standardViews = [
  { name: 'To ship', query: 'payment=PAID&shipping=UNFULFILLED&status=OPEN' },
  { name: 'Unshipped for 2 days', query: 'placed=2&shipping=UNFULFILLED&status=OPEN' },
  { name: 'Unpaid', query: 'payment=PENDING&status=OPEN' },
];

const oneOf = (all, value) => (all.includes(value) ? value : undefined);

/** The bounds of the placement times. An age counts from the last full hour, so that the list stays the same. */
function placedRange(f, zone) {
  if (ages.includes(f.placed)) {
    return { to: new Date((Math.floor(Date.now() / hour) - 24 * Number(f.placed)) * hour).toISOString() };
  }
  return dayRange(f, zone);
}

export function Orders() {
  const { can, zone } = useApp();
  const f = useFilters();
  const { from: createdFrom, to: createdTo } = placedRange(f, zone);
  const filter = {
    status: oneOf(statuses, f.status), financialStatus: oneOf(financial, f.payment),
    fulfillmentStatus: oneOf(fulfillment, f.shipping),
    createdFrom, createdTo,
  };
  const narrowed = Object.values(filter).some(Boolean);
  const filtered = Boolean(f.q || f.tag) || narrowed;
  const sort = sortOf(f, narrowed);
  const text = list(can('customers'));
  const variables = { filter: { ...filter, tag: f.tag || undefined }, query: f.q || null, sort: sort.sort };
  const query = useQuery(text, { ...variables, after: f.after || null });
  const counted = useQuery(counts);
  const [dialog, setDialog] = useState('');
  const box = useRef(null);
  const nodes = query.data?.orders.nodes;
  const selection = useSelection(nodes, JSON.stringify(f), (o) => '#' + o.number);
  useListKeys(box, nodes, selection, can('ship') && (() => setDialog('fulfill')));
  const set = (change) => go(to('/orders', { ...f, after: '', ...change }));
  const changed = () => {
    selection.clear();
    query.reload();
    counted.reload();
  };
  const bulk = html`<${BulkBar} selection=${selection}
    found=${(query.data?.orders.pageInfo.hasNextPage || f.after) && html`<${SelectFound} text=${text}
      variables=${variables} pick=${(d) => d.orders} selection=${selection} />`} actions=${[
    can('ship') && { name: 'fulfill', text: 'Fulfill', act: () => setDialog('fulfill') },
    can('money') && { name: 'paid', text: 'Mark as paid', act: () => setDialog('paid') },
    can('money') && { name: 'invoices', text: 'Invoices', act: () => setDialog('invoices') },
    can('money') && { name: 'complete', text: 'Complete', act: () => setDialog('complete') },
    can('money') && { name: 'tags', text: 'Tags', act: () => setDialog('tags') },
    { name: 'slips', text: 'Packing slips', act: () => go(to('/orders/print',
      { ids: selection.rows.slice(0, 100).map((o) => o.id).join(','), as: 'slip' })) }]} />`;
  const exported = { ...filter, status: filter.status?.toLowerCase() };
  const tracking = can('ship') && html`<${Button} icon="truck" act=${() => setDialog('tracking')}
    test="tracking">Fulfill with tracking<//>`;
  const exportButton = html`<${ExportList} kind="ORDERS" filters=${exported} f=${f} selection=${selection} />`;
  const add = can('money') && html`<a class="button primary" href=${to('/orders/new')} data-test="order-new">
    <${Icon} name="plus" size="16" />New order</a>`;
  return html`<${Page} title="Orders" actions=${[tracking, exportButton, add]}>
    <section class="card flush dense" aria-label="Orders" data-test="orders" ref=${box}>
      <${StateTabs} label="Orders by status" values=${statuses} value=${filter.status}
        counts=${counted.data?.orderCounts} address=${(status) => to('/orders', { ...f, after: '', status })} />
      <${OrderFilters} f=${f} set=${set} sort=${sort} filtered=${filtered} />
      <${SavedViews} path="/orders" filters=${f} standard=${standardViews} />
      <${List} query=${query} pick=${(d) => d.orders} caption="Orders" columns=${listColumns()}
        paged=${Boolean(f.after)} address=${(after) => to('/orders', { ...f, after })}
        selection=${(can('ship') || can('money')) && selection} bulk=${bulk} upward=${sort.value === 'OLDEST'}
        empty=${html`<${Empty} icon="orders" title=${filtered ? 'No orders match these filters.' : 'No orders yet'}>
          ${filtered ? html`<a class="button" href=${to('/orders')}>Show all orders</a>`
            : 'New orders appear here.'}<//>`} />
    </section>
    ${dialog === 'invoices' && html`<${BulkInvoices} selection=${selection} changed=${changed}
      onClose=${() => setDialog('')} />`}
    <${OrderBulk} name=${dialog} selection=${selection} changed=${changed} onClose=${() => setDialog('')} />
  <//>`;
}

function OrderFilters({ f, set, sort, filtered }) {
  const { zone } = useApp();
  const dated = f.placed === 'range' || Boolean(f.from || f.to);
  return html`<${Filters} clear=${filtered && to('/orders')}>
    <${FilterInput} name="q" label="Search" value=${f.q} type="search" set=${set} autocomplete="off"
      placeholder="Number, name, email, title, SKU, tracking" />
    <${FilterTag} value=${f.tag} set=${set} />
    <${FilterSelect} name="payment" label="Payment" value=${f.payment} values=${financial} set=${set} />
    <${FilterSelect} name="shipping" label="Shipping" value=${f.shipping} values=${fulfillment} set=${set} />
    <${FilterSelect} name="placed" label="Placed" value=${dated ? 'range' : f.placed} values=${[...ages, 'range']}
      format=${ageText} set=${(change) => set({ ...change, from: '', to: '' })} />
    ${dated && html`<${FilterInput} name="from" label="From" type="date" value=${f.from} set=${set}
        title=${'In the time zone of the store, ' + zone} />
      <${FilterInput} name="to" label="Until" type="date" value=${f.to} set=${set}
        title=${'In the time zone of the store, ' + zone} />`}
    <${FilterSort} of=${sort} set=${set} />
  <//>`;
}
