// One delivery: what is sent, every attempt, and what can be done about it.
import { html, useEffect, useState } from '../lib.js';
import { useApp, useQuery, go } from '../context.js';
import { Page, Card, Badge, Time, Trouble, Waiting, Empty, Facts, Copyable, Alert } from '../ui.js';
import { ActionButton, Confirm, useMutation } from '../form.js';
import { Attempt, Code, attemptFields, count, endpointPath, errors, hostOf, pretty } from '../webhook_state.js';
import { Paused } from '../webhook_pause.js';
import { Thing } from './events.js';
import { to } from '../route.js';

const read = `query Delivery($id: ID!, $endpoint: ID!) {
  webhookEndpoint(id: $endpoint) { id url status pausedUntil }
  webhookDelivery(id: $id) {
    id endpointId sequence eventId type resourceType resourceId state attemptCount nextAttemptAt payload
    createdAt settledAt attempts { ${attemptFields} } } }`;
const retry = `mutation DeliveryRetry($id: ID!) {
  webhookDeliveryRetry(id: $id) { delivery { id endpointId } ${errors} } }`;
const skip = `mutation DeliverySkip($id: ID!) { webhookDeliverySkip(id: $id) { delivery { id } ${errors} } }`;

const meanings = {
  WAITING: 'Waiting for the next attempt, or for an earlier event of the same resource.',
  DELIVERED: 'The receiver accepted it.',
  FAILED: 'All attempts failed for 24 hours.',
  HELD: 'The endpoint is suspended or disabled. Delivery continues when it is reactivated.',
  SKIPPED: 'Skipped manually.',
  CANCELLED: 'Cancelled with its endpoint, or because the endpoint\u2019s owner lost access to the data.',
};

const pause = 3000; // ms between two looks at a delivery that waits

export function Delivery({ id, delivery }) {
  const query = useQuery(read, { id: delivery, endpoint: id });
  const [asking, ask] = useState(false);
  const endpoint = query.data?.webhookEndpoint;
  const back = { href: to(endpointPath(id)), text: endpoint ? hostOf(endpoint.url) : 'Endpoint' };
  const d = query.data?.webhookDelivery;
  useEffect(() => {
    if (d?.state !== 'WAITING') {
      return undefined;
    }
    const timer = setInterval(() => document.hidden || query.reload(), pause);
    return () => clearInterval(timer);
  }, [d?.state]);
  if (query.failure) {
    return html`<${Page} title="Delivery" back=${back}>
      <${Trouble} failure=${query.failure} reload=${query.reload} /><//>`;
  }
  if (!d || d.endpointId !== id) {
    return html`<${Page} title=${query.data ? 'Delivery not found' : 'Delivery'} back=${back}>${query.data
      ? html`<${Empty} icon="webhooks" title="This delivery does not exist.">
          Deliveries are kept for 14 days after they end.<//>`
      : html`<${Card}><${Waiting} rows=${8} /><//>`}<//>`;
  }
  const actions = endpoint?.status === 'ACTIVE' &&
    html`<${Buttons} of=${d} changed=${query.reload} ask=${() => ask(true)} />`;
  return html`<${Page} title=${d.type} back=${back} badges=${html`<${Badge} value=${d.state} />`}
    lead=${meanings[d.state]} actions=${actions}>
    ${endpoint && endpoint.status !== 'ACTIVE' && html`<${Alert} tone="info">
      The endpoint is ${endpoint.status.toLowerCase()}. Reactivate it to send this again.<//>`}
    ${endpoint?.status === 'ACTIVE' && endpoint.pausedUntil && html`<${Paused} of=${endpoint} />`}
    <div class="split">
      <div class="stack">
        <${Card} title=${count(d.attemptCount, 'attempt')} name="attempts">
          ${d.attempts.length === 0 ? html`<${Empty} icon="send"
              title=${d.attemptCount === 0 ? 'No attempts yet' : 'The attempts are no longer stored.'} />`
            : html`<ol class="attempts">
                ${d.attempts.map((a) => html`<li key=${a.id}><${Attempt} of=${a} /></li>`)}</ol>`}
        <//>
        <${Card} title="Payload" name="payload">
          ${d.payload == null ? html`<p class="muted">${d.type === 'ping' ? 'The payload of a test is not stored.'
              : 'The payload is no longer stored, or you do not have access to it.'}</p>`
            : html`<${Code} name="JSON of the payload" text=${pretty(d.payload)} test="payload" />`}
        <//>
      </div>
      <${Card} title="Delivery" name="delivery"><${Facts} rows=${[
        ['Resource', html`<${Thing} of=${d} />`],
        ['Next attempt', d.nextAttemptAt && html`<${Time} at=${d.nextAttemptAt} how="second" />`],
        ['Created', html`<${Time} at=${d.createdAt} how="second" />`],
        ['Ended', d.settledAt && html`<${Time} at=${d.settledAt} how="second" />`],
        ['Sequence', html`<span class="figure">${d.sequence.toLocaleString()}</span>`],
        ['Event ID', html`<${Copyable} text=${d.eventId} test="event-id" />`],
        ['ID', html`<code class="id">${d.id}</code>`],
      ]} /><//>
    </div>
    ${asking && html`<${Skip} of=${d} onClose=${() => ask(false)} changed=${query.reload} />`}
  <//>`;
}

function Buttons({ of: d, changed, ask }) {
  const run = useMutation(retry);
  const again = async () => {
    const { delivery: made } = await run({ id: d.id });
    if (made.id === d.id) {
      changed();
    } else { // one that had ended: it is sent as a new delivery
      go(to(endpointPath(made.endpointId, made.id)));
    }
  };
  return html`${d.state === 'WAITING' && html`<${ActionButton} kind="primary" run=${again}
      done="Retry started." data-test="delivery-retry">Retry now<//>`}
    ${d.state !== 'WAITING' && d.type !== 'ping' && html`<${ActionButton} run=${again}
      done="Delivery queued again." data-test="delivery-again">Resend<//>`}
    ${d.state === 'WAITING' && html`<button type="button" class="button danger-quiet" onClick=${ask}
      data-test="delivery-skip">Skip</button>`}`;
}

function Skip({ of: d, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(skip);
  const action = async () => {
    await run({ id: d.id });
    notify('Delivery skipped.');
    changed();
  };
  return html`<${Confirm} title="Skip this delivery?" name="delivery-skip" submit="Skip"
    onClose=${onClose} action=${action}>
    <p>It is not sent, and the next event of <code class="id">${d.resourceId}</code> follows.
      You can send it again later.</p>
  <//>`;
}
