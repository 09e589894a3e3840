import { html } from '../lib.js';
import { useApp, useQuery, useFilters } from '../context.js';
import { Page, Empty, Badge, Time, humanize } from '../ui.js';
import { List, RowLink } from '../list.js';
import { Icon } from '../icons.js';
import { to } from '../route.js';

const list = `query Pages($after: String) { pages(first: 25, after: $after) {
  nodes { id title handle status kind updatedAt } pageInfo { hasNextPage endCursor } } }`;

const columns = [
  { name: 'page', head: 'Page', main: true,
    cell: (p) => html`<span class="grow"><${RowLink} href=${to('/pages/' + p.id)}>${p.title}<//>
      <bdi class="muted block">/pages/${p.handle}</bdi></span>` },
  { name: 'status', head: 'Status', cell: (p) => html`<${Badge} value=${p.status} />` },
  { name: 'kind', head: 'Kind', cell: (p) => (p.kind ? humanize(p.kind) : html`<span class="muted">Custom</span>`) },
  { name: 'changed', head: 'Changed', cell: (p) => html`<${Time} at=${p.updatedAt} how="date" />` },
];

export function Pages() {
  const { can } = useApp();
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  const add = can('editPages') && html`<a class="button primary" href=${to('/pages/new')} data-test="page-new">
    <${Icon} name="plus" size="16" />New page</a>`;
  return html`<${Page} title="Pages" actions=${add} lead="Imprint, privacy policy and other pages of the shop.">
    <section class="card flush" aria-label="Pages" data-test="pages">
      <${List} query=${query} pick=${(d) => d.pages} caption="Pages" columns=${columns} paged=${Boolean(f.after)}
        address=${(after) => to('/pages', { ...f, after })}
        empty=${html`<${Empty} icon="note" title="No pages yet">${add}<//>`} />
    </section>
  <//>`;
}
