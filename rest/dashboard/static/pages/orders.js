// The list of orders, with its filters in the address.
import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Page, Empty } from '../ui.js';
import { List } from '../list.js';
import { orderColumns } from '../order_columns.js';
import { Filters, FilterSelect, FilterInput, FilterSort, FilterTag, sortOf } from '../filter.js';
import { Bulk, BulkBar, BulkTags, useSelection } from '../bulk.js';
import { ExportList } from '../export_actions.js';
import { transition } from '../form.js';
import { SavedViews } from '../saved_views.js';
import { StateTabs } from '../tabs.js';
import { dayRange } from '../dates.js';
import { to } from '../route.js';
import { Icon } from '../icons.js';

const list = (customers) => `query Orders($after: String, $filter: OrderFilter, $query: String,
  $sort: ListSort) {
  orders(first: 25, after: $after, filter: $filter, query: $query, sort: $sort) {
    nodes { id number externalNumber placedAt status financialStatus fulfillmentStatus totalMinor currency email
      tags version ${customers ? 'customer { displayName }' : ''} }
    pageInfo { hasNextPage endCursor }
  }
}`;

const counts = '{ orderCounts { open { value more } completed { value more } cancelled { value more } } }';

const answer = '{ order { id } userErrors { code message path } }';
const fulfill = `mutation Fulfill($id: ID!, $expectedVersion: Long!) {
  orderFulfill(id: $id, expectedVersion: $expectedVersion, input: {}) ${answer} }`;
const complete = transition('orderComplete', 'order { id }');
const tag = `mutation Tag($id: ID!, $expectedVersion: Long!, $input: OrderUpdateInput!) {
  orderUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) ${answer} }`;

export const statuses = ['OPEN', 'COMPLETED', 'CANCELLED'];
const financial = ['PENDING', 'PARTIALLY_PAID', 'PAID', 'PARTIALLY_REFUNDED', 'REFUNDED', 'VOIDED'];
const fulfillment = ['UNFULFILLED', 'PARTIALLY_FULFILLED', 'FULFILLED'];

const oneOf = (all, value) => (all.includes(value) ? value : undefined);

export function Orders() {
  const { can, zone } = useApp();
  const f = useFilters();
  const { from: createdFrom, to: createdTo } = dayRange(f, zone);
  const filter = {
    status: oneOf(statuses, f.status), financialStatus: oneOf(financial, f.payment),
    fulfillmentStatus: oneOf(fulfillment, f.shipping),
    createdFrom, createdTo,
  };
  const narrowed = Object.values(filter).some(Boolean);
  const filtered = Boolean(f.q || f.tag) || narrowed;
  const sort = sortOf(f, narrowed);
  const query = useQuery(list(can('customers')), { after: f.after || null,
    filter: { ...filter, tag: f.tag || undefined }, query: f.q || null,
    sort: sort.sort });
  const counted = useQuery(counts);
  const [dialog, setDialog] = useState('');
  const selection = useSelection(query.data?.orders.nodes, JSON.stringify(f), (o) => '#' + o.number);
  const set = (change) => go(to('/orders', { ...f, after: '', ...change }));
  const parts = { selection, onClose: () => setDialog(''), changed: () => {
    selection.clear();
    query.reload();
    counted.reload();
  } };
  const bulk = html`<${BulkBar} selection=${selection} actions=${[
    can('ship') && { name: 'fulfill', text: 'Fulfill', act: () => setDialog('fulfill') },
    can('money') && { name: 'complete', text: 'Complete', act: () => setDialog('complete') },
    can('money') && { name: 'tags', text: 'Add tags', act: () => setDialog('tags') }]} />`;
  const exported = { ...filter, status: filter.status?.toLowerCase() };
  const exportButton = html`<${ExportList} kind="ORDERS" filters=${exported} f=${f} selection=${selection} />`;
  const add = can('money') && html`<a class="button primary" href=${to('/orders/new')} data-test="order-new">
    <${Icon} name="plus" size="16" />New order</a>`;
  return html`<${Page} title="Orders" lead=${`Dates are in the store's time zone (${zone}).`}
    actions=${[exportButton, add]}>
    <section class="card flush" aria-label="Orders" data-test="orders">
      <${StateTabs} label="Orders by status" values=${statuses} value=${filter.status}
        counts=${counted.data?.orderCounts} address=${(status) => to('/orders', { ...f, after: '', status })} />
      <${Filters} clear=${filtered && to('/orders')}>
        <${FilterInput} name="q" label="Search" value=${f.q} type="search" set=${set} autocomplete="off"
          placeholder="Number, name, email, title, SKU, tracking" />
        <${FilterTag} value=${f.tag} set=${set} />
        <${FilterSelect} name="payment" label="Payment" value=${f.payment} values=${financial} set=${set} />
        <${FilterSelect} name="shipping" label="Shipping" value=${f.shipping} values=${fulfillment} set=${set} />
        <${FilterInput} name="from" label="From" type="date" value=${f.from} set=${set} />
        <${FilterInput} name="to" label="Until" type="date" value=${f.to} set=${set} />
        <${FilterSort} of=${sort} set=${set} />
      <//>
      <${SavedViews} path="/orders" filters=${f} />
      <${List} query=${query} pick=${(d) => d.orders} caption="Orders" columns=${orderColumns()}
        paged=${Boolean(f.after)} address=${(after) => to('/orders', { ...f, after })}
        selection=${(can('ship') || can('money')) && selection} bulk=${bulk} upward=${sort.value === 'OLDEST'}
        empty=${html`<${Empty} icon="orders" title=${filtered ? 'No orders match these filters.' : 'No orders yet'}>
          ${filtered ? html`<a class="button" href=${to('/orders')}>Show all orders</a>`
            : 'New orders appear here.'}<//>`} />
    </section>
    ${dialog === 'fulfill' && html`<${Bulk} title="Fulfill selected orders" submit="Fulfill" name="bulk-fulfill"
      ...${parts} act=${(o, v, run) => (o.status === 'OPEN' && o.fulfillmentStatus !== 'FULFILLED'
        ? run(fulfill, { id: o.id, expectedVersion: o.version }).then(() => 'Fulfilled') : 'Nothing left to fulfill')}>
      <p>Fulfills all remaining items of each order, without a tracking number.</p><//>`}
    ${dialog === 'complete' && html`<${Bulk} title="Complete selected orders" submit="Complete" name="bulk-complete"
      ...${parts} act=${(o, v, run) => (o.status === 'OPEN'
        ? run(complete, { id: o.id, expectedVersion: o.version }).then(() => 'Completed') : 'Not open')}>
      <p>Closes orders with all items fulfilled. You can still refund them.</p><//>`}
    ${dialog === 'tags' && html`<${BulkTags} document=${tag} ...${parts} />`}
  <//>`;
}
