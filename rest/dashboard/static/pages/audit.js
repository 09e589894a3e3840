// The audit log, with its filters in the address.
import { html } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Page, Empty, Time, humanize } from '../ui.js';
import { List } from '../list.js';
import { Filters, FilterInput } from '../filter.js';
import { to } from '../route.js';
import { ResourceLink } from './events.js';
import { dayRange } from '../dates.js';

const list = `query Audit($after: String, $filter: AuditFilter) { auditLog(first: 50, after: $after, filter: $filter) {
  nodes { id actor { type id name } action resourceType resourceId detail address agent requestId createdAt }
  pageInfo { hasNextPage endCursor } } }`;

const columns = [
  { name: 'action', head: 'Action', main: true,
    cell: (e) => html`<code class="strong" title=${e.requestId}>${e.action}</code>
      ${e.detail && html`<span class="muted block clip-long">${e.detail}</span>`}` },
  { name: 'actor', head: 'Actor', cell: (e) => html`<bdi>${e.actor.name || humanize(e.actor.type)}</bdi>
    <span class="muted block" title=${e.actor.id}>${humanize(e.actor.type)}</span>` },
  { name: 'what', head: 'Resource', cell: (e) => html`<${ResourceLink} of=${e} />` },
  { name: 'address', head: 'Address', fold: 1,
    cell: (e) => e.address && html`<span class="clip" title=${e.agent}>${e.address}</span>` },
  { name: 'when', head: 'When', end: true, cell: (e) => html`<${Time} at=${e.createdAt} />` },
];

/** The filter in the address, as the API expects it. Days are in the store's time zone. */
function filterOf(f, zone) {
  return { action: f.action || undefined, actorId: f.actor || undefined, resourceId: f.resource || undefined,
    ...dayRange(f, zone) };
}

function download(store, filter) {
  const names = { action: 'action', actorId: 'actor_id', resourceId: 'resource_id', from: 'from', to: 'to' };
  const query = new URLSearchParams({ store: store.id });
  for (const [key, name] of Object.entries(names)) {
    if (filter[key]) query.set(name, filter[key]);
  }
  return '/dashboard/audit.jsonl?' + query;
}

export function Audit() {
  const { store, zone } = useApp();
  const f = useFilters();
  const filter = filterOf(f, zone);
  const query = useQuery(list, { after: f.after || null, filter });
  const set = (change) => go(to('/audit', { ...f, after: '', ...change }));
  const filtered = Object.values(filter).some(Boolean);
  const actions = html`<a class="button" href=${download(store, filter)} download data-test="audit-download">
    Download as JSON lines</a>`;
  return html`<${Page} title="Audit log" lead=${'Changes in ' + store.name + ', newest first.'} actions=${actions}>
    <section class="card flush" aria-label="Audit log" data-test="audit">
      <${Filters} clear=${filtered && to('/audit')}>
        <${FilterInput} name="action" label="Action" value=${f.action} set=${set} placeholder="product.create" />
        <${FilterInput} name="actor" label="Actor ID" value=${f.actor} set=${set} placeholder="usr_…" />
        <${FilterInput} name="resource" label="Resource ID" value=${f.resource} set=${set} placeholder="prod_…" />
        <${FilterInput} name="from" label="From" type="date" value=${f.from} set=${set} />
        <${FilterInput} name="to" label="Until" type="date" value=${f.to} set=${set} />
      <//>
      <${List} query=${query} pick=${(d) => d.auditLog} caption="Audit log" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/audit', { ...f, after })}
        empty=${html`<${Empty} icon="audit" title=${filtered ? 'No entries match these filters.'
          : 'No entries yet'} />`} />
    </section>
  <//>`;
}
