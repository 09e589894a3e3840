// The event log: what webhooks deliver.
import { html } from '../lib.js';
import { useQuery, useFilters } from '../context.js';
import { Page, List, Empty, Time, words } from '../ui.js';
import { to } from '../route.js';

const list = `query Events($after: String) { events(first: 50, after: $after) {
  nodes { id type resourceType resourceId sequence occurredAt } pageInfo { hasNextPage endCursor } } }`;

const pages = { order: '/orders/', product: '/products/', customer: '/customers/', webhook_endpoint: '/webhooks/' };

/** What an event or an audit row is about, with the way to its page where it has one. */
export function Thing({ of: row }) {
  const page = pages[row.resourceType];
  const id = html`<code class="id">${row.resourceId}</code>`;
  return html`<span class="block">${words(row.resourceType)}</span>
    ${page ? html`<a href=${to(page + encodeURIComponent(row.resourceId))}>${id}</a>` : id}`;
}

const columns = [
  { name: 'type', head: 'Event', main: true, cell: (e) => html`<code class="strong">${e.type}</code>` },
  { name: 'what', head: 'About', cell: (e) => html`<${Thing} of=${e} />` },
  { name: 'sequence', head: 'Sequence', end: true, fold: 1, told: true,
    cell: (e) => html`<span class="figure">${e.sequence}</span>` },
  { name: 'when', head: 'When', end: true, cell: (e) => html`<${Time} at=${e.occurredAt} />` },
];

export function Events() {
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  return html`<${Page} title="Events"
    lead="What happened in the store, as webhooks report it, newest first. Kept for 30 days.">
    <section class="card flush" aria-label="Events" data-test="events">
      <${List} query=${query} pick=${(d) => d.events} caption="Events" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/events', { after })}
        empty=${html`<${Empty} icon="events" title="Nothing has happened yet" />`} />
    </section>
  <//>`;
}
