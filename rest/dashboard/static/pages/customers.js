import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Icon } from '../icons.js';
import { Page, Empty, Badge, Money, Time } from '../ui.js';
import { List, RowLink } from '../list.js';
import { Filters, FilterInput, FilterSort, FilterTag, sortOf } from '../filter.js';
import { BulkBar, BulkTags, useSelection } from '../bulk.js';
import { ExportList } from '../export_actions.js';
import { SavedViews } from '../saved_views.js';
import { to } from '../route.js';

const list = `query Customers($after: String, $filter: CustomerFilter, $query: String, $sort: ListSort) {
  customers(first: 25, after: $after, filter: $filter, query: $query, sort: $sort) {
    nodes { id displayName email status ordersCount totalSpentMinor currency lastOrderAt
      tags version }
    pageInfo { hasNextPage endCursor }
  }
}`;

const tag = `mutation Tag($id: ID!, $expectedVersion: Long!, $input: CustomerUpdateInput!) {
  customerUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) {
    customer { id } userErrors { code message path } } }`;

const columns = [
  { name: 'name', head: 'Customer', main: true,
    cell: (c) => html`<${RowLink} href=${to('/customers/' + c.id)}>${c.displayName}<//>` },
  { name: 'email', head: 'Email', fold: 1,
    cell: (c) => c.email && html`<bdi class="clip-mail" title=${c.email}>${c.email}</bdi>` },
  { name: 'status', head: 'Status', cell: (c) => html`<${Badge} value=${c.status} />` },
  { name: 'last', head: 'Last order', fold: 2, labeled: true,
    cell: (c) => html`<${Time} at=${c.lastOrderAt} how="date" none="None" />` },
  { name: 'orders', head: 'Orders', end: true, cell: (c) => c.ordersCount.toLocaleString() },
  { name: 'spent', head: 'Total spent', end: true,
    cell: (c) => html`<${Money} minor=${c.totalSpentMinor} currency=${c.currency} />` },
];

export function Customers() {
  const { can } = useApp();
  const f = useFilters();
  const sort = sortOf(f, false);
  const query = useQuery(list, { after: f.after || null, filter: { tag: f.tag || undefined }, query: f.q || null,
    sort: sort.sort });
  const [tagging, setTagging] = useState(false);
  const selection = useSelection(query.data?.customers.nodes, JSON.stringify(f), (c) => c.displayName);
  const changed = () => {
    selection.clear();
    query.reload();
  };
  const bulk = html`<${BulkBar} selection=${selection}
    actions=${[{ name: 'tags', text: 'Tags', act: () => setTagging(true) }]} />`;
  const set = (change) => go(to('/customers', { ...f, after: '', ...change }));
  const exportButton = html`<${ExportList} kind="CUSTOMERS" f=${f} selection=${selection} />`;
  const add = can('editCustomers') && html`<a class="button primary" href=${to('/customers/new')}
    data-test="customer-new"><${Icon} name="plus" size="16" />New customer</a>`;
  return html`<${Page} title="Customers" actions=${[exportButton, add]}>
    <section class="card flush" aria-label="Customers" data-test="customers">
      <${Filters} clear=${(f.q || f.tag) && to('/customers')}>
        <${FilterInput} name="q" label="Search" value=${f.q} type="search" set=${set}
          autocomplete="off" placeholder="Name, email, phone" />
        <${FilterTag} value=${f.tag} set=${set} />
        <${FilterSort} of=${sort} set=${set} />
      <//>
      <${SavedViews} path="/customers" filters=${f} />
      <${List} query=${query} pick=${(d) => d.customers} caption="Customers" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/customers', { ...f, after })}
        selection=${can('editCustomers') && selection} bulk=${bulk} upward=${sort.value === 'OLDEST'}
        empty=${html`<${Empty} icon="customers" title=${f.q || f.tag ? 'No customers match these filters.'
          : 'No customers yet'} />`} />
    </section>
    ${tagging && html`<${BulkTags} document=${tag} selection=${selection} changed=${changed}
      onClose=${() => setTagging(false)} />`}
  <//>`;
}
