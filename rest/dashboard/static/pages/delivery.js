// A delivery: its payload, its attempts and its actions.
import { html, useEffect, useState } from '../lib.js';
import { useQuery, go } from '../context.js';
import { Page, Card, Badge, Time, Empty, Facts, Copyable, Alert, MissingPage, Button } from '../ui.js';
import { ActionButton, ConfirmMutation, useMutation, errors } from '../form.js';
import { Attempt, Code, attemptFields, plural, endpointPath, hostOf, formatJSON } from '../webhook_state.js';
import { Paused } from '../webhook_pause.js';
import { ResourceLink } from './events.js';
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

const pollInterval = 3000; // milliseconds

export function Delivery({ id, delivery }) {
  const query = useQuery(read, { id: delivery, endpoint: id });
  const [skipping, setSkipping] = useState(false);
  const endpoint = query.data?.webhookEndpoint;
  const back = { href: to(endpointPath(id)), text: endpoint ? hostOf(endpoint.url) : 'Endpoint' };
  const d = query.data?.webhookDelivery;
  useEffect(() => {
    if (d?.state !== 'WAITING') {
      return undefined;
    }
    const timer = setInterval(() => document.hidden || query.reload(), pollInterval);
    return () => clearInterval(timer);
  }, [d?.state]);
  if (!d || d.endpointId !== id) {
    return html`<${MissingPage} query=${query} name="Delivery" icon="webhooks" back=${back}>
      Deliveries are kept for 14 days after they end.<//>`;
  }
  const actions = endpoint?.status === 'ACTIVE' &&
    html`<${Buttons} of=${d} changed=${query.reload} onSkip=${() => setSkipping(true)} />`;
  return html`<${Page} title=${d.type} back=${back} badges=${html`<${Badge} value=${d.state} />`}
    lead=${meanings[d.state]} actions=${actions}>
    ${endpoint && endpoint.status !== 'ACTIVE' && html`<${Alert} tone="info">
      The endpoint is ${endpoint.status.toLowerCase()}. Reactivate it to send this again.<//>`}
    ${endpoint?.status === 'ACTIVE' && endpoint.pausedUntil && html`<${Paused} of=${endpoint} />`}
    <div class="split">
      <div class="stack">
        <${Card} title=${plural(d.attemptCount, 'attempt')} name="attempts">
          ${d.attempts.length === 0 ? html`<${Empty} icon="send"
              title=${d.attemptCount === 0 ? 'No attempts yet' : 'The attempts are no longer stored.'} />`
            : html`<ol class="attempts">
                ${d.attempts.map((a) => html`<li key=${a.id}><${Attempt} of=${a} /></li>`)}</ol>`}
        <//>
        <${Card} title="Payload" name="payload">
          ${d.payload == null ? html`<p class="muted">${d.type === 'ping' ? 'The payload of a test is not stored.'
              : 'The payload is no longer stored, or you do not have access to it.'}</p>`
            : html`<${Code} name="JSON of the payload" text=${formatJSON(d.payload)} test="payload" />`}
        <//>
      </div>
      <${Card} title="Delivery" name="delivery"><${Facts} rows=${[
        ['Resource', html`<${ResourceLink} of=${d} />`],
        ['Next attempt', d.nextAttemptAt && html`<${Time} at=${d.nextAttemptAt} how="second" />`],
        ['Created', html`<${Time} at=${d.createdAt} how="second" />`],
        ['Ended', d.settledAt && html`<${Time} at=${d.settledAt} how="second" />`],
        ['Sequence', html`<span class="figure">${d.sequence.toLocaleString()}</span>`],
        ['Event ID', html`<${Copyable} text=${d.eventId} test="event-id" />`],
        ['ID', html`<code class="id">${d.id}</code>`],
      ]} /><//>
    </div>
    ${skipping && html`<${Skip} of=${d} onClose=${() => setSkipping(false)} changed=${query.reload} />`}
  <//>`;
}

function Buttons({ of: d, changed, onSkip }) {
  const run = useMutation(retry);
  const again = async () => {
    const { delivery: created } = await run({ id: d.id });
    if (created.id === d.id) {
      changed();
    } else { // a delivery that has ended is sent as a new one
      go(to(endpointPath(created.endpointId, created.id)));
    }
  };
  return html`${d.state === 'WAITING' && html`<${ActionButton} kind="primary" run=${again}
      done="Retry started." data-test="delivery-retry">Retry now<//>`}
    ${d.state !== 'WAITING' && d.type !== 'ping' && html`<${ActionButton} run=${again}
      done="Delivery queued again." data-test="delivery-again">Resend<//>`}
    ${d.state === 'WAITING' && html`<${Button} kind="danger-quiet" act=${onSkip} test="delivery-skip">Skip<//>`}`;
}

function Skip({ of: d, onClose, changed }) {
  return html`<${ConfirmMutation} title="Skip this delivery?" name="delivery-skip" submit="Skip" document=${skip}
    variables=${{ id: d.id }} done="Delivery skipped." changed=${changed} onClose=${onClose}>
    <p>It is not sent. Delivery continues with the next event of <code class="id">${d.resourceId}</code>.
      You can resend it later.</p>
  <//>`;
}
