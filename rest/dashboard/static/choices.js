// Selects for lists that are longer than one page.
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
