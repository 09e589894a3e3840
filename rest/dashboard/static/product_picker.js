// A picker of products and variants for an order.
import { html, useState } from './lib.js';
import { useQuery } from './context.js';
import { Empty, Money, Thumb, Pending, Button, imageFields } from './ui.js';
import { onEnter } from './form.js';

const search = `query PickerProducts($filter: ProductFilter, $query: String) {
  products(first: 20, filter: $filter, query: $query) { nodes {
  id title sku currentPrice { priceMinor } currency inventoryQuantity version imageUrl image { ${imageFields} }
  options { name }
  variants { id title sku currentPrice { priceMinor } inventoryQuantity } } pageInfo { hasNextPage } } }`;

/** Returns the product, or its variants if it has options. */
function sellableItems(p) {
  const own = { productId: p.id, title: p.title, currency: p.currency };
  return p.options.length === 0
    ? [{ ...own, key: p.id, sku: p.sku, priceMinor: p.currentPrice.priceMinor, left: p.inventoryQuantity }]
    : p.variants.map((v) => ({ ...own, key: v.id, variantId: v.id, variant: v.title, sku: v.sku,
      priceMinor: v.currentPrice.priceMinor, left: v.inventoryQuantity }));
}

/** The newest published products, or the matches of a search, which starts with first. add gets the chosen item. */
export function ProductPicker({ add, first = '' }) {
  const [words, setWords] = useState(first);
  const q = useQuery(search, { filter: { status: 'ACTIVE' }, query: words || null });
  const find = (e) => setWords(e.target.value.trim());
  const found = q.data?.products.nodes ?? [];
  const more = q.data?.products.pageInfo.hasNextPage;
  return html`<div class="picker" data-test="goods">
    <label class="filter"><span>Search</span><input type="search" defaultValue=${first} autocomplete="off"
      onKeyDown=${onEnter(find)} onChange=${find} placeholder="Title or SKU" data-test="picker-search" />
    </label>
    ${!q.data ? html`<${Pending} of=${q} rows=${3} />`
      : found.length === 0 ? html`<${Empty} icon="products" title=${more ? 'Enter more of the title or SKU'
        : words ? 'No published products match' : 'No published products yet'} />`
      : html`${more && html`<p class="hint">Not all products are listed. Search to find others.</p>`}
        <ul class="lines picker-list" tabindex="0" aria-label="Products">
        ${found.flatMap((p) => sellableItems(p).map((w) => html`<li key=${w.key}>
          <${Thumb} product=${p} />
          <div class="grow">
            <p class="line-title"><bdi>${w.title}</bdi>${w.variant && html`, <bdi>${w.variant}</bdi>`}</p>
            <p class="muted">${w.sku && html`<bdi>${w.sku}</bdi>, `}<${Money} minor=${w.priceMinor}
              currency=${w.currency} />${w.left != null && ', ' + w.left + ' in stock'}</p></div>
          <${Button} kind="small" icon="plus" act=${() => add(w)} test="picker-add"
            label=${'Add ' + [w.title, w.variant].filter(Boolean).join(', ')}>Add<//></li>`))}</ul>`}
  </div>`;
}
