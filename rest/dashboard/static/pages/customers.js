// The list of customers.
import { html } from '../lib.js';
import { useQuery, useFilters, go } from '../context.js';
import { Page, List, Empty, Badge, Money, Time } from '../ui.js';
import { RowLink } from '../list.js';
import { Filters, FilterInput } from '../filter.js';
import { to } from '../route.js';

const list = `query Customers($after: String, $query: String) {
  customers(first: 25, after: $after, query: $query) {
    nodes { id displayName email status ordersCount totalSpentMinor currency lastOrderAt }
    pageInfo { hasNextPage endCursor }
  }
}`;

const columns = [
  { name: 'name', head: 'Customer', main: true,
    cell: (c) => html`<${RowLink} href=${to('/customers/' + c.id)}>${c.displayName}<//>` },
  { name: 'email', head: 'E-mail', fold: 1,
    cell: (c) => c.email && html`<bdi class="clip-mail" title=${c.email}>${c.email}</bdi>` },
  { name: 'status', head: 'Status', cell: (c) => html`<${Badge} value=${c.status} />` },
  { name: 'last', head: 'Last order', fold: 2, cell: (c) => (c.lastOrderAt
    ? html`<${Time} at=${c.lastOrderAt} how="date" />` : html`<span class="muted">None</span>`) },
  { name: 'orders', head: 'Orders', end: true, cell: (c) => c.ordersCount.toLocaleString() },
  { name: 'spent', head: 'Spent', end: true,
    cell: (c) => html`<${Money} minor=${c.totalSpentMinor} currency=${c.currency} />` },
];

export function Customers() {
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null, query: f.q || null });
  const set = (change) => go(to('/customers', { ...f, after: '', ...change }));
  return html`<${Page} title="Customers">
    <section class="card flush" aria-label="Customers" data-test="customers">
      <${Filters} clear=${f.q && to('/customers')}>
        <${FilterInput} name="q" label="Search" value=${f.q} type="search" set=${set}
          autocomplete="off" placeholder="Name or e-mail" />
      <//>
      <${List} query=${query} pick=${(d) => d.customers} caption="Customers" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/customers', { ...f, after })}
        empty=${html`<${Empty} icon="customers" title=${f.q ? 'Nobody was found.' : 'No customers yet'} />`} />
    </section>
  <//>`;
}
