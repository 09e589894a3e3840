// The list of webhook endpoints, with their health.
import { html, useState } from '../lib.js';
import { useQuery, useFilters, go } from '../context.js';
import { Page, Badge, Time, Empty, Button } from '../ui.js';
import { List, RowLink } from '../list.js';
import { Sparkline } from '../activity.js';
import { EndpointSecret, NewEndpoint } from '../webhook_form.js';
import { Address, plural, endpointPath, health, ownerOf, errorText, waitingCount } from '../webhook_state.js';
import { to } from '../route.js';

const list = `query Endpoints($after: String) { webhookEndpoints(first: 25, after: $after) {
  nodes {
    id url events description status pausedUntil failingSince suspendedAt lastSuccessAt lastError app { id name }
    queue { waiting } activity(hours: 24) { at delivered failed }
  }
  pageInfo { hasNextPage endCursor } } }`;

const maxEventNames = 3; // per row

const columns = [
  { name: 'endpoint', head: 'Endpoint', main: true,
    cell: (e) => html`<${RowLink} href=${to(endpointPath(e.id))} data-test="endpoint">
      <${Address} url=${e.url} short /><//>
      ${e.description && html`<bdi class="muted block verbatim short">${e.description}</bdi>`}` },
  { name: 'owner', head: 'Owner', fold: 1,
    cell: (e) => html`<bdi class=${e.app ? '' : 'muted'}>${ownerOf(e)}</bdi>` },
  { name: 'events', head: 'Events', wide: true, cell: (e) => html`<span>
    <span class="block">${plural(e.events.length, 'event')}</span>
    <span class="tags whole">${e.events.slice(0, maxEventNames).map((n) => html`<code class="tag"
      key=${n}>${n}</code>`)}
      ${e.events.length > maxEventNames &&
        html`<span class="muted">and ${e.events.length - maxEventNames} more</span>`}</span></span>` },
  { name: 'health', head: 'Health', cell: (e) => html`<${Health} of=${e} />` },
  { name: 'activity', head: 'Last 24 hours', cell: (e) => html`<${Sparkline} activity=${e.activity} hours=${24} />` },
];

function Health({ of: e }) {
  return html`<span class="health"><${Badge} value=${health(e)} />
    ${e.status === 'ACTIVE' && e.pausedUntil && html`<span class="block">
      Until <${Time} at=${e.pausedUntil} /></span>`}
    ${e.status === 'ACTIVE' && e.failingSince && html`<span class="block critical">
      Failing since <${Time} at=${e.failingSince} how="ago" /></span>`}
    ${e.status !== 'ACTIVE' && e.suspendedAt && html`<span class="block">
      Stopped <${Time} at=${e.suspendedAt} how="ago" /></span>`}
    <span class="block muted">
      ${e.lastSuccessAt ? html`Last success <${Time} at=${e.lastSuccessAt} how="ago" />` : 'No success yet'}</span>
    ${e.queue.waiting > 0 && html`<span class="block">${waitingCount(e.queue.waiting)} waiting</span>`}
    ${health(e) !== 'ACTIVE' && e.lastError && html`<span
      class="muted verbatim short">${errorText(e.lastError)}</span>`}
  </span>`;
}

export function Webhooks() {
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  const [dialog, setDialog] = useState(null);
  const add = html`<${Button} kind="primary" icon="plus" act=${() => setDialog({ kind: 'new' })}
    test="webhook-new">Add endpoint<//>`;
  return html`<${Page} title="Webhooks" actions=${add}
    lead="Send events of the store to your programs and to apps.">
    <section class="card flush" aria-label="Webhook endpoints" data-test="webhooks">
      <${List} query=${query} pick=${(d) => d.webhookEndpoints} caption="Webhook endpoints" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/webhooks', { after })}
        empty=${html`<${Empty} icon="webhooks" title="No endpoints yet">
          Add the URL of a program that receives events.<//>`} />
    </section>
    ${dialog?.kind === 'new' && html`<${NewEndpoint} onClose=${() => setDialog(null)} onSecret=${(secret, id) => {
      query.reload();
      setDialog({ kind: 'secret', secret, id });
    }} />`}
    ${dialog?.kind === 'secret' && html`<${EndpointSecret} title="Signing secret" secret=${dialog.secret}
      onClose=${() => go(to(endpointPath(dialog.id)))}>
      <p>The endpoint is active. Store its secret where your program can read it, never in source code.</p><//>`}
  <//>`;
}
