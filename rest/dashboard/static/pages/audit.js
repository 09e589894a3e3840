// The audit log.
import { html } from '../lib.js';
import { useApp, useQuery, useFilters } from '../context.js';
import { Page, List, Empty, Time, words } from '../ui.js';
import { to } from '../route.js';
import { Thing } from './events.js';

const list = `query Audit($after: String) { auditLog(first: 50, after: $after) {
  nodes { id actor { type id name } action resourceType resourceId detail requestId createdAt }
  pageInfo { hasNextPage endCursor } } }`;

const columns = [
  { name: 'action', head: 'Action', main: true,
    cell: (e) => html`<code class="strong" title=${e.requestId}>${e.action}</code>
      ${e.detail && html`<span class="muted block clip-long">${e.detail}</span>`}` },
  { name: 'actor', head: 'Who', cell: (e) => html`<span>${e.actor.name || words(e.actor.type)}</span>
    <span class="muted block">${words(e.actor.type)}</span>` },
  { name: 'what', head: 'What', cell: (e) => html`<${Thing} of=${e} />` },
  { name: 'when', head: 'When', end: true, cell: (e) => html`<${Time} at=${e.createdAt} />` },
];

export function Audit() {
  const { store } = useApp();
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  return html`<${Page} title="Audit log" lead=${'Who did what in ' + store.name + ', newest first.'}>
    <section class="card flush" aria-label="Audit log" data-test="audit">
      <${List} query=${query} pick=${(d) => d.auditLog} caption="Audit log" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/audit', { after })}
        empty=${html`<${Empty} icon="audit" title="Nothing has been done yet" />`} />
    </section>
  <//>`;
}
