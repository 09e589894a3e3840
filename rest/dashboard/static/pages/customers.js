// The list of customers.
import { html } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Icon } from '../icons.js';
import { Page, List, Empty, Badge, Money, Time } from '../ui.js';
import { Filters, FilterInput } from '../filter.js';
import { ExportShown } from '../export_actions.js';
import { to } from '../route.js';

const list = `query Customers($after: String, $query: String) {
  customers(first: 25, after: $after, query: $query) {
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
  const query = useQuery(list, { after: f.after || null, query: f.q || null });
  const set = (change) => go(to('/customers', { ...f, after: '', ...change }));
  const shown = !f.q && html`<${ExportShown} kind="CUSTOMERS" />`;
  const add = can('editCustomers') && html`<a class="button primary" href=${to('/customers/new')}
    data-test="customer-new"><${Icon} name="plus" size="16" />New customer</a>`;
  return html`<${Page} title="Customers" actions=${[shown, add]}>
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
