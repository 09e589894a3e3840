// The event log, with its filters in the address.
import { html } from '../lib.js';
import { useQuery, useFilters, go } from '../context.js';
import { Page, Empty, Time, humanize } from '../ui.js';
import { List } from '../list.js';
import { Filters, FilterInput, FilterSelect } from '../filter.js';
import { to } from '../route.js';

const list = `query Events($after: String, $filter: EventFilter) { events(first: 50, after: $after, filter: $filter) {
  nodes { id type resourceType resourceId sequence occurredAt } pageInfo { hasNextPage endCursor } } }`;
const catalog = 'query EventNames { webhookEventTypes { name } }';

const resourcePages = { order: '/orders/', product: '/products/', customer: '/customers/',
  webhook_endpoint: '/webhooks/' };

/** The resource of an event or audit entry, with a link if it has a page. */
export function ResourceLink({ of: row }) {
  const page = resourcePages[row.resourceType];
  const id = html`<code class="id">${row.resourceId}</code>`;
  return html`<span class="block">${humanize(row.resourceType)}</span>
    ${page ? html`<a href=${to(page + encodeURIComponent(row.resourceId))}>${id}</a>` : id}`;
}

const columns = [
  { name: 'type', head: 'Event', main: true, cell: (e) => html`<a class="strong" href=${to('/events/' + e.id)}
    data-test="event"><code>${e.type}</code></a>` },
  { name: 'what', head: 'Resource', cell: (e) => html`<${ResourceLink} of=${e} />` },
  { name: 'sequence', head: 'Sequence', end: true, fold: 1, labeled: true,
    cell: (e) => html`<span class="figure">${e.sequence}</span>` },
  { name: 'when', head: 'When', end: true, cell: (e) => html`<${Time} at=${e.occurredAt} />` },
];

export function Events() {
  const f = useFilters();
  const filter = { types: f.type ? [f.type] : undefined, resourceId: f.resource || undefined };
  const query = useQuery(list, { after: f.after || null, filter });
  const types = useQuery(catalog);
  const set = (change) => go(to('/events', { ...f, after: '', ...change }));
  const filtered = Boolean(f.type || f.resource);
  const names = types.data?.webhookEventTypes.map((t) => t.name) ?? [f.type].filter(Boolean);
  return html`<${Page} title="Events"
    lead="Changes in the store, as sent to webhooks, newest first. Kept for 30 days.">
    <section class="card flush" aria-label="Events" data-test="events">
      <${Filters} clear=${filtered && to('/events')}>
        <${FilterSelect} name="type" label="Event" value=${f.type} set=${set} values=${names} format=${(v) => v} />
        <${FilterInput} name="resource" label="Resource ID" value=${f.resource} set=${set} placeholder="ord_…" />
      <//>
      <${List} query=${query} pick=${(d) => d.events} caption="Events" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/events', { ...f, after })}
        empty=${html`<${Empty} icon="events" title=${filtered ? 'No events match these filters.'
          : 'No events yet'} />`} />
    </section>
  <//>`;
}
