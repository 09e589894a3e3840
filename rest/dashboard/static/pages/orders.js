// The list of orders, with its filters in the address.
import { html } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Page, List, Empty, Badge, Money, Time } from '../ui.js';
import { RowLink } from '../list.js';
import { Filters, FilterSelect, FilterInput } from '../filter.js';
import { StateTabs } from '../tabs.js';
import { startOfDay, nextDay } from '../dates.js';
import { to } from '../route.js';

const list = (customers) => `query Orders($after: String, $filter: OrderFilter, $query: String) {
  orders(first: 25, after: $after, filter: $filter, query: $query) {
    nodes { id number placedAt status financialStatus fulfillmentStatus totalMinor currency email
      ${customers ? 'customer { displayName }' : ''} }
    pageInfo { hasNextPage endCursor }
  }
}`;

const counts = '{ orderCounts { open { value more } completed { value more } cancelled { value more } } }';

export const statuses = ['OPEN', 'COMPLETED', 'CANCELLED'];
const financial = ['PENDING', 'PARTIALLY_PAID', 'PAID', 'PARTIALLY_REFUNDED', 'REFUNDED', 'VOIDED'];
const fulfillment = ['UNFULFILLED', 'PARTIALLY_FULFILLED', 'FULFILLED'];

/** The columns of a list of orders. */
export function orderColumns({ person = true } = {}) {
  const columns = [
    { name: 'number', head: 'Order', main: true,
      cell: (o) => html`<${RowLink} href=${to('/orders/' + o.id)}>#${o.number}<//>
        <span class="muted block"><${Time} at=${o.placedAt} /></span>` },
    { name: 'customer', head: 'Customer', fold: 1,
      cell: (o) => html`<bdi class="clip">${o.customer?.displayName ?? o.email ?? 'No customer'}</bdi>` },
    { name: 'money', head: 'Payment', cell: (o) => html`<${Badge} value=${o.financialStatus} />` },
    { name: 'goods', head: 'Shipping', cell: (o) => html`<${Badge} value=${o.fulfillmentStatus} />` },
    { name: 'state', head: 'Status', fold: 2, cell: (o) => html`<${Badge} value=${o.status} />` },
    { name: 'total', head: 'Total', end: true,
      cell: (o) => html`<${Money} minor=${o.totalMinor} currency=${o.currency} />` },
  ];
  return person ? columns : columns.filter((c) => c.name !== 'customer');
}

/** The days of the filter as instants: both days are in. */
function range(f, zone) {
  const day = /^\d{4}-\d\d-\d\d$/;
  return {
    createdFrom: day.test(f.from ?? '') ? startOfDay(f.from, zone) : undefined,
    createdTo: day.test(f.to ?? '') ? startOfDay(nextDay(f.to), zone) : undefined,
  };
}

const oneOf = (all, value) => (all.includes(value) ? value : undefined);

export function Orders() {
  const { can, zone } = useApp();
  const f = useFilters();
  const filter = {
    status: oneOf(statuses, f.status), financialStatus: oneOf(financial, f.payment),
    fulfillmentStatus: oneOf(fulfillment, f.shipping),
    ...range(f, zone),
  };
  const query = useQuery(list(can('customers')), { after: f.after || null, filter, query: f.q || null });
  const counted = useQuery(counts);
  const set = (change) => go(to('/orders', { ...f, after: '', ...change }));
  const filtered = Boolean(f.q) || Object.values(filter).some(Boolean);
  return html`<${Page} title="Orders" lead="Newest first. Days are those of the store's time zone.">
    <section class="card flush" aria-label="Orders" data-test="orders">
      <${StateTabs} label="Orders by status" values=${statuses} value=${filter.status}
        counts=${counted.data?.orderCounts} address=${(status) => to('/orders', { ...f, after: '', status })} />
      <${Filters} clear=${filtered && to('/orders')}>
        <${FilterInput} name="q" label="Search" value=${f.q} type="search" set=${set} autocomplete="off"
          placeholder="Number, name, e-mail, SKU" />
        <${FilterSelect} name="payment" label="Payment" value=${f.payment} values=${financial} set=${set} />
        <${FilterSelect} name="shipping" label="Shipping" value=${f.shipping} values=${fulfillment} set=${set} />
        <${FilterInput} name="from" label="From" type="date" value=${f.from} set=${set} />
        <${FilterInput} name="to" label="Until" type="date" value=${f.to} set=${set} />
      <//>
      <${List} query=${query} pick=${(d) => d.orders} caption="Orders" columns=${orderColumns()}
        paged=${Boolean(f.after)} address=${(after) => to('/orders', { ...f, after })}
        empty=${html`<${Empty} icon="orders" title=${filtered ? 'No order fits these filters.' : 'No orders yet'}>
          ${filtered ? html`<a class="button" href=${to('/orders')}>Show all orders</a>`
            : 'They appear here as they come in.'}<//>`} />
    </section>
  <//>`;
}
