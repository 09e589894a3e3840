// The list of products.
import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Page, Empty, Badge, Money, Time, Thumb, imageFields } from '../ui.js';
import { List, RowLink } from '../list.js';
import { Icon } from '../icons.js';
import { Filters, FilterInput, FilterSort, FilterTag, sortOf } from '../filter.js';
import { Bulk, BulkBar, BulkTags, useSelection } from '../bulk.js';
import { ExportList } from '../export_actions.js';
import { SavedViews } from '../saved_views.js';
import { transition } from '../form.js';
import { StateTabs } from '../tabs.js';
import { to } from '../route.js';

const list = `query Products($after: String, $filter: ProductFilter, $query: String, $sort: ListSort) {
  products(first: 25, after: $after, filter: $filter, query: $query, sort: $sort) {
    nodes { id title handle status priceMinor currency sku inventoryQuantity imageUrl version updatedAt tags
      image { ${imageFields} } }
    pageInfo { hasNextPage endCursor }
  }
}`;

const counts = '{ productCounts { draft { value more } active { value more } archived { value more } } }';

const answer = '{ product { id } userErrors { code message path } }';
const tag = `mutation Tag($id: ID!, $expectedVersion: Long!, $input: ProductUpdateInput!) {
  productUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) ${answer} }`;

const statuses = ['DRAFT', 'ACTIVE', 'ARCHIVED'];

function Stock({ quantity }) {
  if (quantity == null) {
    return html`<span class="muted">Not tracked</span>`;
  }
  return html`<span class=${quantity === 0 ? 'critical' : ''}>
    ${quantity === 0 ? 'Sold out' : quantity.toLocaleString()}</span>`;
}

const columns = [
  { name: 'product', head: 'Product', main: true,
    cell: (p) => html`<span class="with-thumb"><${Thumb} product=${p} /><span class="grow">
      <${RowLink} href=${to('/products/' + p.id)}>${p.title}<//>
      ${p.sku && html`<bdi class="muted block">${p.sku}</bdi>`}</span></span>` },
  { name: 'status', head: 'Status', cell: (p) => html`<${Badge} value=${p.status} />` },
  { name: 'stock', head: 'Stock', cell: (p) => html`<${Stock} quantity=${p.inventoryQuantity} />` },
  { name: 'changed', head: 'Changed', cell: (p) => html`<${Time} at=${p.updatedAt} how="date" />` },
  { name: 'price', head: 'Price', end: true,
    cell: (p) => html`<${Money} minor=${p.priceMinor} currency=${p.currency} />` },
];

export function Products() {
  const { can } = useApp();
  const f = useFilters();
  const filter = { status: statuses.includes(f.status) ? f.status : undefined };
  const sort = sortOf(f, Boolean(filter.status));
  const query = useQuery(list, { after: f.after || null, filter: { ...filter, tag: f.tag || undefined },
    query: f.q || null, sort: sort.sort });
  const counted = useQuery(counts);
  const [dialog, setDialog] = useState('');
  const selection = useSelection(query.data?.products.nodes, JSON.stringify(f), (p) => p.title);
  const parts = { selection, onClose: () => setDialog(''), changed: () => {
    selection.clear();
    query.reload();
    counted.reload();
  } };
  const moved = (name, from, done, other) => (p, v, run) => (from.includes(p.status)
    ? run(transition(name, 'product { id }'), { id: p.id, expectedVersion: p.version }).then(() => done) : other);
  const set = (change) => go(to('/products', { ...f, after: '', ...change }));
  const filtered = Boolean(filter.status || f.q || f.tag);
  const add = can('editProducts') && html`<a class="button primary" href=${to('/products/new')}
    data-test="product-new"><${Icon} name="plus" size="16" />New product</a>`;
  const bulk = html`<${BulkBar} selection=${selection} actions=${[
    { name: 'publish', text: 'Publish', act: () => setDialog('publish') },
    { name: 'archive', text: 'Archive', act: () => setDialog('archive') },
    { name: 'tags', text: 'Tags', act: () => setDialog('tags') }]} />`;
  const exportButton = html`<${ExportList} kind="PRODUCTS" filters=${{ status: filter.status?.toLowerCase() }} f=${f}
    selection=${selection} />`;
  return html`<${Page} title="Products" actions=${[exportButton, add]}>
    <section class="card flush" aria-label="Products" data-test="products">
      <${StateTabs} label="Products by status" values=${statuses} value=${filter.status}
        counts=${counted.data?.productCounts} address=${(status) => to('/products', { ...f, after: '', status })} />
      <${Filters} clear=${filtered && to('/products')}>
        <${FilterInput} name="q" label="Search" value=${f.q} type="search" set=${set} autocomplete="off"
          placeholder="Title or SKU" />
        <${FilterTag} value=${f.tag} set=${set} />
        <${FilterSort} of=${sort} set=${set} />
      <//>
      <${SavedViews} path="/products" filters=${f} />
      <${List} query=${query} pick=${(d) => d.products} caption="Products" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/products', { ...f, after })}
        selection=${can('editProducts') && selection} bulk=${bulk} upward=${sort.value === 'OLDEST'}
        empty=${html`<${Empty} icon="products" title=${filtered ? 'No products match these filters.'
          : 'No products yet'}>
          ${filtered ? html`<a class="button" href=${to('/products')}>Show all products</a>` : add}<//>`} />
    </section>
    ${dialog === 'publish' && html`<${Bulk} title="Publish selected products" submit="Publish" name="bulk-publish"
      ...${parts} act=${moved('productPublish', ['DRAFT'], 'Published', 'Not a draft')}>
      <p>Shoppers can then see and buy them.</p><//>`}
    ${dialog === 'archive' && html`<${Bulk} title="Archive selected products" submit="Archive" name="bulk-archive"
      ...${parts} act=${moved('productArchive', ['DRAFT', 'ACTIVE'], 'Archived', 'Already archived')}>
      <p>Shoppers can no longer buy them. You can restore each one from its page.</p><//>`}
    ${dialog === 'tags' && html`<${BulkTags} document=${tag} ...${parts} />`}
  <//>`;
}
