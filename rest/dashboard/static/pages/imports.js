// The list of imports, which refreshes while one runs.
import { html } from '../lib.js';
import { useQuery, useFilters } from '../context.js';
import { Page, Time, Empty } from '../ui.js';
import { List, RowLink } from '../list.js';
import { ConnectionLost, usePoll } from '../live.js';
import { Progress, Status, busy, importFields, importKinds, importPath, nameOf, resultOf } from '../import_state.js';
import { to } from '../route.js';
import { Icon } from '../icons.js';

const list = `query Imports($after: String) { imports(first: 25, after: $after) {
  nodes { ${importFields} } pageInfo { hasNextPage endCursor } } }`;

const columns = [
  { name: 'import', head: 'File', main: true,
    cell: (i) => html`<${RowLink} href=${to(importPath(i.id))} data-test="import"><bdi>${nameOf(i)}</bdi><//>` },
  { name: 'status', head: 'Status', cell: (i) => html`<span class="standing"><${Status} of=${i} />
    ${busy(i) && html`<${Progress} of=${i} />`}
    ${i.error && html`<span class="block verbatim short critical">${i.error.message}</span>`}</span>` },
  { name: 'kind', head: 'Kind', cell: (i) => importKinds[i.kind] },
  { name: 'result', head: 'Rows', cell: (i) => !busy(i) && html`<span class="figure">${resultOf(i)}</span>` },
  { name: 'who', head: 'Requested', cell: (i) => html`<span>
    <span class="block"><bdi>${i.requestedBy.name}</bdi></span>
    <span class="muted"><${Time} at=${i.createdAt} how="ago" /></span></span>` },
];

const none = [];

export function Imports() {
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  usePoll(query, (query.data?.imports.nodes ?? none).some(busy));
  const add = html`<a class="button primary" href=${to('/imports/new')} data-test="import-new">
    <${Icon} name="plus" />New import</a>`;
  return html`<${Page} title="Imports" actions=${add}
    lead="Files of another shop, a supplier or a spreadsheet. Imports are kept for 7 days.">
    <${ConnectionLost} query=${query} />
    <section class="card flush" aria-label="Imports" data-test="imports">
      <${List} query=${query} pick=${(d) => d.imports} caption="Imports" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/imports', { after })}
        empty=${html`<${Empty} icon="exports" title="No imports yet">
          Start one with a CSV file of Shopify, WooCommerce or Medusa, or of your own.<//>`} />
    </section>
  <//>`;
}
