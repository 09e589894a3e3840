// A webhook endpoint: health, actions and deliveries.
import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Page, Card, Badge, Time, Empty, Alert, Facts, MissingPage, Pending, Button } from '../ui.js';
import { List } from '../list.js';
import { Filters, FilterSelect } from '../filter.js';
import { Icon } from '../icons.js';
import { ActivityChart } from '../activity.js';
import { EditEndpoint, EndpointSecret } from '../webhook_form.js';
import * as actions from '../webhook_actions.js';
import { Details } from '../webhook_details.js';
import { Pause, Paused, Resume } from '../webhook_pause.js';
import { Resend } from '../webhook_resend.js';
import { AttemptLog } from '../webhook_log.js';
import { filterFields } from '../webhook_rows.js';
import {
  DeliveryLink, deliveryStates, endpointPath, health, hostOf, errorText, suspensionReasons, suspendedBy,
} from '../webhook_state.js';
import { to } from '../route.js';

const read = `query Endpoint($id: ID!) { webhookEndpoint(id: $id) {
  id url events description payload selection status failingSince suspendedAt suspendedReason lastSuccessAt lastError
  secretHint nextSecretHint nextSecretPromotesAt rateLimit headers { name valueHint } filters { ${filterFields} }
  pausedUntil circuit { state failures nextAttemptAt }
  apiVersion app { id name } queue { waiting oldestAt catchingUp } version createdAt updatedAt } }`;
const activity = `query Activity($id: ID!, $hours: Int!) { webhookEndpoint(id: $id) {
  activity(hours: $hours) { at delivered failed latencyMean latencyMax } } }`;
const list = `query Deliveries($id: ID!, $after: String, $state: DeliveryState) { webhookEndpoint(id: $id) {
  deliveries(first: 25, after: $after, state: $state) {
    nodes { id endpointId sequence type resourceType resourceId state attemptCount nextAttemptAt createdAt settledAt }
    pageInfo { hasNextPage endCursor } } } }`;

const back = { href: to('/webhooks'), text: 'Webhooks' };

const periods = [['6', '6 h', 'Last 6 hours'], ['24', '24 h', 'Last 24 hours'], ['336', '14 days', 'Last 14 days']];

const dialogs = {
  edit: EditEndpoint, disable: actions.Disable, reactivate: actions.Reactivate, promote: actions.Promote,
  replay: actions.Replay, remove: actions.Remove, test: actions.TestSend, pause: Pause, resend: Resend, log: AttemptLog,
};

export function Webhook({ id }) {
  const { can } = useApp();
  const f = useFilters();
  const path = endpointPath(id);
  const query = useQuery(read, { id });
  const period = periods.find(([h]) => h === f.hours) ?? periods[1];
  const chart = useQuery(activity, { id, hours: Number(period[0]) });
  const stateFilter = deliveryStates.includes(f.state) ? f.state : null;
  const deliveries = useQuery(list, { id, after: f.after || null, state: stateFilter });
  const [dialog, setDialog] = useState(null);
  const e = query.data?.webhookEndpoint;
  if (!e) {
    return html`<${MissingPage} query=${query} name="Webhook endpoint" icon="webhooks" back=${back} />`;
  }
  const changed = () => {
    query.reload();
    chart.reload();
    deliveries.reload();
  };
  const close = () => setDialog(null);
  const showSecret = (secret, until) => {
    query.reload();
    setDialog({ kind: 'secret', secret, until });
  };
  const Opened = dialogs[dialog?.kind];
  const hours = html`<nav class="segments" aria-label="Time shown">${periods.map(([h, text]) => html`<a key=${h}
    href=${to(path, { ...f, hours: h })} aria-current=${h === period[0] ? 'true' : undefined}
    data-test=${'hours-' + h}>${text}</a>`)}</nav>`;
  return html`<${Page} title=${hostOf(e.url)} back=${back} badges=${html`<${Badge} value=${health(e)} />`}
    actions=${html`<${Buttons} of=${e} open=${setDialog} changed=${changed} />`}>
    ${e.status === 'ACTIVE' && e.pausedUntil && html`<${Paused} of=${e} />`}
    <${StatusAlert} of=${e} />
    <div class="split">
      <div class="stack">
        <${Card} title=${period[2]} name="endpoint-activity" actions=${hours}>
          ${chart.failure ? html`<${Pending} of=${chart} />`
            : html`<${ActivityChart} activity=${chart.data?.webhookEndpoint?.activity} hours=${Number(period[0])} />`}
        <//>
        <${Secrets} of=${e} open=${setDialog} />
      </div>
      <${Details} of=${e} />
    </div>
    <${Deliveries} query=${deliveries} f=${f} path=${path} only=${stateFilter} changed=${changed}
      open=${e.status === 'ACTIVE' && setDialog} log=${can('exports') && (() => setDialog({ kind: 'log' }))} />
    ${Opened && html`<${Opened} endpoint=${e} onClose=${close} changed=${changed} />`}
    ${dialog?.kind === 'rotate' &&
      html`<${actions.Rotate} endpoint=${e} onClose=${close} changed=${changed} onSecret=${showSecret} />`}
    ${dialog?.kind === 'secret' && html`<${EndpointSecret} title="New signing secret" secret=${dialog.secret}
      onClose=${close}>
      <p>Add it to your receiver next to the old one, check that signatures verify, then promote it.</p>
      ${dialog.until && html`<${actions.SecretNote} until=${dialog.until} />`}<//>`}
  <//>`;
}

function Buttons({ of: e, open, changed }) {
  const button = (kind, text, look = '') => html`<${Button} kind=${look} act=${() => open({ kind })}
    test=${'webhook-' + kind}>${text}<//>`;
  return html`${e.status !== 'ACTIVE' && button('reactivate', 'Reactivate', 'primary')}
    ${e.status === 'ACTIVE' &&
      (e.pausedUntil ? html`<${Resume} of=${e} changed=${changed} />` : button('pause', 'Pause'))}
    ${button('test', html`<${Icon} name="send" size="16" />Send test`)}
    ${button('edit', 'Edit')}
    ${e.status !== 'DISABLED' && button('disable', 'Disable', 'danger-quiet')}
    ${button('remove', 'Delete', 'danger-quiet')}`;
}

/** The problem of an endpoint and how to fix it. */
function StatusAlert({ of: e }) {
  if (e.status === 'ACTIVE' && !e.failingSince) {
    return e.queue.catchingUp && html`<${Alert} tone="info">Events from the log are being queued.<//>`;
  }
  const last = e.lastError && html`<p>Last error: <span class="verbatim">${errorText(e.lastError)}</span></p>`;
  if (e.status === 'ACTIVE') {
    return html`<${Alert}><div data-test="standing">
      <p>Deliveries have been failing since <${Time} at=${e.failingSince} />.</p>${last}
      <p>Deliveries are retried until <${Time} at=${suspendedBy(e.failingSince)} />. Then the endpoint is suspended.
        Fix the receiver and send a test, then use Resend by filter to retry all failed deliveries. Open a delivery
        to skip it if it can never succeed.</p></div><//>`;
  }
  return html`<${Alert} tone=${e.status === 'SUSPENDED' ? 'bad' : 'info'}><div data-test="standing">
    <p>No events are sent${e.suspendedAt && html` since <${Time} at=${e.suspendedAt} />`}. ${
      suspensionReasons[e.suspendedReason] ?? ''}</p>
    ${e.status === 'SUSPENDED' && last}<p>${remedies[e.suspendedReason] ?? remedies.DELIVERY_FAILED}</p></div><//>`;
}

const remedies = {
  DELIVERY_FAILED: 'Fix the receiver, send a test, then reactivate. You choose what happens to missed events. ' +
    'The event log covers 30 days.',
  MANUAL: 'Reactivate it to continue. You choose what happens to missed events. The event log covers 30 days.',
  GRANT_REVOKED: 'It can be reactivated after staff of the store grant the app access again. ' +
    'Waiting deliveries were dropped.',
};

function Secrets({ of: e, open }) {
  return html`<${Card} title="Signing secret" name="endpoint-secret">
    <${Facts} rows=${[
      ['Ends in', html`<code>${e.secretHint}</code>`],
      ['New secret', e.nextSecretHint && html`<code>${e.nextSecretHint}</code>`],
      ['Becomes active', e.nextSecretPromotesAt && html`<${Time} at=${e.nextSecretPromotesAt} />`],
    ]} />
    <p class="actions under">${e.nextSecretHint
      ? html`<${Button} act=${() => open({ kind: 'promote' })} test="webhook-promote">Promote new secret<//>`
      : html`<${Button} act=${() => open({ kind: 'rotate' })} test="webhook-rotate">Rotate<//>`}</p>
  <//>`;
}

const columns = [
  { name: 'type', head: 'Event', main: true,
    cell: (d) => html`<${DeliveryLink} of=${d} /><code class="id block">${d.resourceId}</code>` },
  { name: 'state', head: 'State', cell: (d) => html`<${Badge} value=${d.state} />` },
  { name: 'attempts', head: 'Attempts', end: true, fold: 1, labeled: true,
    cell: (d) => html`<span class="figure">${d.attemptCount}</span>` },
  { name: 'next', head: 'Next attempt or end',
    cell: (d) => html`<${Time} at=${d.settledAt ?? d.nextAttemptAt} how="second" none="Queued" />` },
  { name: 'made', head: 'Created', end: true, fold: 2, labeled: true,
    cell: (d) => html`<${Time} at=${d.createdAt} how="second" />` },
];

function Deliveries({ query, f, path, only, changed, open, log }) {
  const set = (change) => go(to(path, { ...f, after: '', ...change }));
  const buttons = html`
    <${Button} kind="small" act=${changed} test="refresh">Refresh<//>
    ${log && html`<${Button} kind="small" act=${log} test="webhook-log">Export log<//>`}
    ${open && html`<${Button} kind="small" act=${() => open({ kind: 'resend' })}
      test="webhook-resend">Resend by filter<//>
      <${Button} kind="small" act=${() => open({ kind: 'replay' })} test="webhook-replay">Replay events<//>`}`;
  return html`<${Card} title="Deliveries" flush name="deliveries" actions=${buttons}>
    <${Filters} clear=${only && to(path, { ...f, after: '', state: '' })}>
      <${FilterSelect} name="state" label="State" value=${only ?? ''} values=${deliveryStates} set=${set} />
    <//>
    <${List} query=${query} pick=${(d) => d.webhookEndpoint?.deliveries} caption="Deliveries" columns=${columns}
      paged=${Boolean(f.after)} address=${(after) => to(path, { ...f, after })}
      empty=${html`<${Empty} icon="send" title=${only ? 'No deliveries in this state.' : 'No deliveries yet'}>
        ${only ? null : 'Deliveries appear here when a subscribed event happens. ' +
          'They are kept for 14 days.'}<//>`} />
  <//>`;
}
