// The list of customers.
import { html } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Icon } from '../icons.js';
import { Page, List, Empty, Badge, Money, Time } from '../ui.js';
import { Filters, FilterInput } from '../filter.js';
import { to } from '../route.js';

const list = `query Customers($after: String, $filter: CustomerFilter) {
  customers(first: 25, after: $after, filter: $filter) {
    nodes { id displayName email status ordersCount totalSpentMinor currency lastOrderAt }
    pageInfo { hasNextPage endCursor }
  }
}`;

const columns = [
  { name: 'name', head: 'Customer', main: true,
    cell: (c) => html`<a class="strong" href=${to('/customers/' + c.id)}>${c.displayName}</a>` },
  { name: 'email', head: 'E-mail', cell: (c) => html`<span class="clip">${c.email}</span>` },
  { name: 'status', head: 'Status', cell: (c) => html`<${Badge} value=${c.status} />` },
  { name: 'last', head: 'Last order', cell: (c) => (c.lastOrderAt
    ? html`<${Time} at=${c.lastOrderAt} how="date" />` : html`<span class="muted">None</span>`) },
  { name: 'orders', head: 'Orders', end: true, cell: (c) => c.ordersCount.toLocaleString() },
  { name: 'spent', head: 'Spent', end: true,
    cell: (c) => html`<${Money} minor=${c.totalSpentMinor} currency=${c.currency} />` },
];

export function Customers() {
  const { can } = useApp();
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null, filter: { email: f.email || undefined } });
  const set = (change) => go(to('/customers', { ...f, after: '', ...change }));
  const actions = can('editCustomers') && html`<a class="button primary" href=${to('/customers/new')}
    data-test="customer-new"><${Icon} name="plus" size="16" />New customer</a>`;
  return html`<${Page} title="Customers" actions=${actions}>
    <section class="card flush" aria-label="Customers" data-test="customers">
      <${Filters} clear=${f.email && to('/customers')}>
        <${FilterInput} name="email" label="E-mail" value=${f.email} type="search" set=${set}
          autocomplete="off" placeholder="name@example.com" />
      <//>
      <${List} query=${query} pick=${(d) => d.customers} caption="Customers" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/customers', { ...f, after })}
        empty=${html`<${Empty} icon="customers"
          title=${f.email ? 'Nobody has this e-mail address.' : 'No customers yet'}>
          ${f.email ? 'The whole address is needed.' : ''}<//>`} />
    </section>
  <//>`;
}
