// The log of API requests, with its filters in the address.
import { html } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Page, Empty, Time } from '../ui.js';
import { List } from '../list.js';
import { Filters, FilterInput, FilterSelect } from '../filter.js';
import { Status, Subject, formatDuration } from '../request_state.js';
import { to } from '../route.js';
import { dayRange } from '../dates.js';

const list = `query Requests($after: String, $filter: RequestFilter) {
  requestLog(first: 50, after: $after, filter: $filter) {
    nodes { id createdAt method path status code duration omitted storeId key { id name } app { id name } }
    pageInfo { hasNextPage endCursor } } }`;

const columns = [
  { name: 'request', head: 'Request', main: true,
    cell: (r) => html`<a class="strong" href=${to('/requests/' + r.id)} data-test="request"><code>
      ${r.method} ${r.path}</code></a>
      ${r.omitted > 0 && html`<span class="muted block">
        and ${r.omitted.toLocaleString()} more, not kept</span>`}` },
  { name: 'status', head: 'Status', cell: (r) => html`<${Status} of=${r} />` },
  { name: 'by', head: 'By', cell: (r) => html`<${Subject} of=${r} />` },
  { name: 'took', head: 'Duration', end: true, cell: (r) => html`<span
  class="figure">${formatDuration(r.duration)}</span>` },
  { name: 'when', head: 'When', end: true, cell: (r) => html`<${Time} at=${r.createdAt} how="second" />` },
];

function filterOf(f, zone) {
  return { keyId: f.key || undefined, appId: f.app || undefined, requestId: f.request || undefined,
    status: f.status || undefined, ...dayRange(f, zone) };
}

export function Requests() {
  const { zone } = useApp();
  const f = useFilters();
  const filter = filterOf(f, zone);
  const query = useQuery(list, { after: f.after || null, filter });
  const set = (change) => go(to('/requests', { ...f, after: '', ...change }));
  const filtered = Object.values(filter).some(Boolean);
  return html`<${Page} title="Requests"
    lead="API requests of the last 72 hours. Busy minutes are sampled; errors are kept first.">
    <section class="card flush" aria-label="Requests" data-test="requests">
      <${Filters} clear=${filtered && to('/requests')}>
        <${FilterInput} name="request" label="Request ID" value=${f.request} set=${set} placeholder="req_…" />
        <${FilterSelect} name="status" label="Status" value=${f.status} set=${set}
          values=${['SUCCESS', 'CLIENT_ERROR', 'SERVER_ERROR']} />
        <${FilterInput} name="key" label="Key ID" value=${f.key} set=${set} placeholder="key_…" />
        <${FilterInput} name="app" label="App ID" value=${f.app} set=${set} placeholder="app_…" />
        <${FilterInput} name="from" label="From" type="date" value=${f.from} set=${set} />
        <${FilterInput} name="to" label="Until" type="date" value=${f.to} set=${set} />
      <//>
      <${List} query=${query} pick=${(d) => d.requestLog} caption="Requests" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/requests', { ...f, after })}
        empty=${html`<${Empty} icon="requests" title=${filtered ? 'No requests match these filters.'
          : 'No requests yet'}>Requests appear here a few seconds after their response.<//>`} />
    </section>
  <//>`;
}
