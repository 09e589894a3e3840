// The history of a product's stock.
import { html, useState } from './lib.js';
import { useQuery } from './context.js';
import { Button, Card, Empty, Pending, Time, humanize } from './ui.js';
import { Table } from './list.js';

const history = `query StockHistory($id: ID!, $variantId: ID!, $after: String) { product(id: $id) {
  inventoryHistory(variantId: $variantId, first: 25, after: $after) { nodes { before after reason reference createdAt
    actor { type name } } pageInfo { hasNextPage endCursor } } } }`;

const units = (n) => (n === null ? 'Not tracked' : n.toLocaleString());

const columns = [
  { name: 'at', head: 'Changed', main: true, cell: (c) => html`<${Time} at=${c.createdAt} />` },
  { name: 'before', head: 'Before', cell: (c) => units(c.before) },
  { name: 'after', head: 'After', cell: (c) => units(c.after) },
  { name: 'reason', head: 'Reason', cell: (c) => html`<bdi>${c.reason ?? 'Edited'}</bdi>${c.reference &&
    html` <bdi class="muted">${c.reference}</bdi>`}` },
  { name: 'actor', head: 'By', cell: (c) => html`<bdi>${c.actor.name || humanize(c.actor.type)}</bdi>` },
];

/** The changes of the stock of one variant, newest first. */
export function StockHistory({ product: p }) {
  const [variantId, setVariant] = useState(p.variants[0].id);
  const [after, setAfter] = useState(null);
  const query = useQuery(history, { id: p.id, variantId, after });
  const page = query.data?.product?.inventoryHistory;
  const choose = (e) => {
    setVariant(e.target.value);
    setAfter(null);
  };
  return html`<${Card} title="Stock history" name="stock-history" flush>
    ${p.options.length > 0 && html`<p class="row-actions start"><label for="stock-variant">Variant</label>
      <select id="stock-variant" onChange=${choose}>${p.variants.map((v) => html`<option key=${v.id} value=${v.id}
        selected=${v.id === variantId}>${v.title}</option>`)}</select></p>`}
    ${!page ? html`<${Pending} of=${query} rows=${2} />`
      : page.nodes.length === 0 ? html`<${Empty} title="No stock changes yet" />`
      : html`<${Table} caption="Changes of stock" columns=${columns} rows=${page.nodes}
        id=${(c) => c.createdAt + c.before + c.after} />`}
    <p class="row-actions muted">Orders also change stock. They are not listed here.
      ${after && html`<${Button} kind="small" act=${() => setAfter(null)}>Newest<//>`}
      ${page?.pageInfo.hasNextPage && html`<${Button} kind="small"
        act=${() => setAfter(page.pageInfo.endCursor)}>Older<//>`}</p>
  <//>`;
}
