// Selects for long lists.
import { html, useState } from './lib.js';
import { useQuery } from './context.js';
import { Select, onEnter } from './form.js';

const searchQuery = `query Offered($query: String) {
  products(first: 50, filter: { status: ACTIVE }, query: $query) { nodes { id title } pageInfo { hasNextPage } } }`;
const productQuery = 'query Chosen($id: ID!) { product(id: $id) { id title } }';

/**
 * A select of one published product: the newest ones, or the matches of a search. The current value
 * stays an option. Ids in without are left out.
 */
export function ProductChoice({ value = '', without = [], choose, ...rest }) {
  const [words, setWords] = useState('');
  const found = useQuery(searchQuery, { query: words || null });
  const { nodes, pageInfo } = found.data?.products ?? { nodes: [], pageInfo: {} };
  const known = nodes.find((p) => p.id === value);
  const own = useQuery(value && !known ? productQuery : '', { id: value });
  const listed = nodes.filter((p) => p.id !== value && !without.includes(p.id));
  const named = known?.title ?? (own.loading || !own.data ? '\u2026'
    : own.data.product?.title ?? 'Deleted product');
  const search = (e) => setWords(e.target.value.trim());
  const hint = found.failure ? found.failure.message
    : words && found.data && nodes.length === 0 && !pageInfo.hasNextPage ? 'No published product matches.'
    : pageInfo.hasNextPage ? 'Not all products are listed. Search to find others.' : '';
  return html`<div class="stack tight"><label class="filter"><span>Search products</span>
      <input type="search" autocomplete="off" placeholder="Title or SKU" onKeyDown=${onEnter(search)}
        onChange=${search} data-test="choice-search" /></label>
    <${Select} ...${rest} value=${value} hint=${hint} onChange=${(e) =>
      choose(listed.find((p) => p.id === e.target.value) ?? { id: e.target.value })}
      options=${[['', 'Choose'], ...(value ? [[value, named]] : []), ...listed.map((p) => [p.id, p.title])]} /></div>`;
}

/** The title of a product. */
export function ProductName({ id }) {
  const { data } = useQuery(productQuery, { id });
  return html`<bdi>${data ? data.product?.title ?? 'Deleted product' : '\u2026'}</bdi>`;
}

/** A select of one page or collection, with a search if there are more than twenty. choose gets its id and title. */
export function ListChoice({ nodes, value = '', label, choose, ...rest }) {
  const [words, setWords] = useState('');
  const search = (e) => setWords(e.target.value.trim().toLowerCase());
  const shown = nodes.filter((n) => n.id === value || n.title.toLowerCase().includes(words));
  const gone = value && !nodes.some((n) => n.id === value) ? [[value, 'No longer available']] : [];
  return html`<div class="stack tight">${nodes.length > 20 && html`<label class="filter"><span>Search</span>
      <input type="search" autocomplete="off" placeholder="Title" aria-label=${'Search: ' + label}
        onKeyDown=${onEnter(search)} onInput=${search} data-test="list-search" /></label>`}
    <${Select} ...${rest} label=${label} value=${value} hint=${words && shown.length === 0 ? 'Nothing matches.' : ''}
      options=${[['', 'Choose'], ...gone, ...shown.map((n) => [n.id, n.title])]}
      onChange=${(e) => choose(nodes.find((n) => n.id === e.target.value) ?? { id: e.target.value })} /></div>`;
}
