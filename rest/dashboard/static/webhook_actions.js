// Actions on an endpoint. Each is a dialog with one mutation.
import { html, useEffect, useState } from './lib.js';
import { useApp, go } from './context.js';
import { send } from './api.js';
import { Alert, Dialog, Time, LoadError, Skeleton, Button } from './ui.js';
import {
  Field, FormDialog, FieldError, ConfirmMutation, transition, useAction, useMutation, useFieldError, errors,
} from './form.js';
import { Address, Attempt, attemptFields, plural } from './webhook_state.js';
import { atLocalTime, localTime } from './dates.js';
import { to } from './route.js';

const documents = {
  disable: transition('webhookEndpointDisable', 'webhookEndpoint { id }'),
  rotate: transition('webhookEndpointRotateSecret', 'webhookEndpoint { id nextSecretPromotesAt } secret'),
  promote: transition('webhookEndpointPromoteSecret', 'webhookEndpoint { id }'),
  reactivate: `mutation EndpointReactivate($id: ID!, $expectedVersion: Long!, $backlog: WebhookBacklog!, $since: Time) {
    webhookEndpointReactivate(id: $id, expectedVersion: $expectedVersion, backlog: $backlog, since: $since) {
      webhookEndpoint { id } ${errors} } }`,
  replay: `mutation EndpointReplay($id: ID!, $from: Time!, $to: Time!) {
    webhookEndpointReplay(id: $id, from: $from, to: $to) { webhookEndpoint { id } ${errors} } }`,
  remove: `mutation EndpointDelete($id: ID!) { webhookEndpointDelete(id: $id) { deletedId ${errors} } }`,
  test: `mutation EndpointTest($id: ID!) {
    webhookEndpointTest(id: $id) { delivery { id state attempts { ${attemptFields} } } ${errors} } }`,
};

/** Reads a local time in the store's time zone. */
export function pointIn(values, field, zone) {
  const at = atLocalTime(values.get(field) ?? '', zone);
  if (!at) {
    throw new FieldError(field, 'Choose a day and a time.');
  }
  return at;
}

export const zoneHint = (zone) => `In the store's time zone, ${zone}.`;

export function Disable({ endpoint: e, onClose, changed }) {
  return html`<${ConfirmMutation} title="Disable this endpoint?" name="webhook-disable" submit="Disable"
    document=${documents.disable} variables=${{ id: e.id, expectedVersion: e.version }} done="Endpoint disabled."
    changed=${changed} onClose=${onClose}>
    <p>No more events are sent to <strong><${Address} url=${e.url} /></strong>. Waiting deliveries are
      held until you reactivate the endpoint. The event log keeps later events for 30 days.</p>
  <//>`;
}

const backlogs = [
  ['RESUME', 'Continue where it stopped',
    'Sends failed and held deliveries, then later events, in order. Each is retried for 24 hours.'],
  ['FROM', 'Start at a time', 'Drops waiting deliveries and sends the events since the time that you choose.'],
  ['DROP', 'Skip missed events', 'Drops waiting deliveries and sends only new events.'],
];

export function Reactivate({ endpoint: e, onClose, changed }) {
  const { zone } = useApp();
  const [backlog, setBacklog] = useState('RESUME');
  const action = useAction(documents.reactivate, (v) => ({
    id: e.id, expectedVersion: e.version, backlog, since: backlog === 'FROM' ? pointIn(v, 'since', zone) : null,
  }), 'Endpoint reactivated.', changed);
  return html`<${FormDialog} title="Reactivate the endpoint" name="webhook-reactivate" submit="Reactivate"
    busyText="Working" onClose=${onClose} onStale=${changed} action=${action}>
    <fieldset class="choices"><legend>Missed events</legend>
      ${backlogs.map(([value, name, sentence]) => html`<div class="scope" key=${value}>
        <input type="radio" name="backlog" id=${'backlog-' + value} value=${value} checked=${backlog === value}
          aria-describedby=${'backlog-' + value + '-text'} onChange=${() => setBacklog(value)} />
        <div><label for=${'backlog-' + value}>${name}</label>
          <p class="hint" id=${'backlog-' + value + '-text'}>${sentence}</p></div></div>`)}
    </fieldset>
    <${BacklogError} />
    ${backlog === 'FROM' && html`<${Field} name="since" label="Since" type="datetime-local" step="1"
      value=${localTime(e.suspendedAt ?? Date.now() - 3600e3, zone)}
      hint=${zoneHint(zone) + ' The event log covers the last 30 days.'} />`}
  <//>`;
}

function BacklogError() {
  const wrong = useFieldError('backlog');
  return wrong && html`<p class="wrong">${wrong.join(' ')}</p>`;
}

/** Creates a second secret. onSecret gets it and the time at which it is promoted. */
export function Rotate({ endpoint: e, onClose, changed, onSecret }) {
  const run = useMutation(documents.rotate, { once: false });
  const action = async () => {
    const { webhookEndpoint, secret } = await run({ id: e.id, expectedVersion: e.version });
    onSecret(secret, webhookEndpoint.nextSecretPromotesAt);
    return false; // the dialog with the secret replaces this one
  };
  return html`<${FormDialog} title="Rotate the signing secret?" name="webhook-rotate" submit="Rotate"
    busyText="Rotating" onClose=${onClose} onStale=${changed} action=${action}>
    <p>This creates a second secret. For 24 hours, or until you promote it, both secrets sign every delivery,
      so your receiver can switch without downtime.</p>
  <//>`;
}

export function Promote({ endpoint: e, onClose, changed }) {
  return html`<${ConfirmMutation} title="Promote the new secret?" name="webhook-promote" submit="Promote"
    danger=${false} document=${documents.promote} variables=${{ id: e.id, expectedVersion: e.version }}
    done="New secret promoted." changed=${changed} onClose=${onClose}>
    <p>From now on, only the secret that ends in <code>${e.nextSecretHint}</code> signs deliveries.
      A receiver that knows only the old secret rejects deliveries.</p>
  <//>`;
}

const eventPage = `query EventTimes($after: String) { events(first: 100, after: $after) {
  nodes { type occurredAt } pageInfo { hasNextPage endCursor } } }`;
const maxPages = 50; // of the log, for counting

/** Counts events of a period that the endpoint is subscribed to. more is true if the log is too long to count all. */
async function countEvents(e, from, until) {
  let [found, after] = [0, null];
  for (let page = 0; page < maxPages; page += 1) {
    const { data, errors: failures } = await send(eventPage, { after });
    if (!data.events) {
      throw failures[0];
    }
    for (const { type, occurredAt } of data.events.nodes) {
      if (Date.parse(occurredAt) < Date.parse(from)) {
        return { count: found, more: false };
      }
      found += Date.parse(occurredAt) < Date.parse(until) && e.events.includes(type) ? 1 : 0;
    }
    if (!data.events.pageInfo.hasNextPage) {
      return { count: found, more: false };
    }
    after = data.events.pageInfo.endCursor;
  }
  return { count: found, more: true };
}

/** Counts the events of a period, then replays them. */
export function Replay({ endpoint: e, onClose, changed }) {
  const { notify, zone } = useApp();
  const run = useMutation(documents.replay);
  const [counted, setCounted] = useState(null);
  const [[began, ended]] = useState(() => [localTime(Date.now() - 3600e3, zone), localTime(Date.now(), zone)]);
  const action = async (v) => {
    const from = pointIn(v, 'from', zone);
    const until = pointIn(v, 'to', zone);
    if (until <= from) {
      throw new FieldError('to', 'The end must be after the start.');
    }
    if (counted?.from !== from || counted?.until !== until) {
      setCounted({ from, until, ...(await countEvents(e, from, until)) });
      return false;
    }
    await run({ id: e.id, from, to: until });
    notify('Replay started.');
    changed();
    return true;
  };
  const many = counted && (counted.more ? 'At least ' : '') + plural(counted.count, 'event');
  return html`<${FormDialog} title="Replay events" name="webhook-replay" busyText="Working"
    submit=${counted ? 'Send ' + plural(counted.count, 'event') + (counted.more ? ' or more' : '') : 'Count events'}
    onClose=${onClose} action=${action}>
    <p>Sends the events of this period again, only to this endpoint and after waiting deliveries.
      Your receiver recognizes them by event ID.</p>
    <div class="pair">
      <${Field} name="from" label="From" type="datetime-local" step="1" required
        onInput=${() => setCounted(null)} value=${began}
        hint=${zoneHint(zone)} />
      <${Field} name="to" label="Until (exclusive)" type="datetime-local" step="1" required
        onInput=${() => setCounted(null)} value=${ended}
        hint="The event log covers the last 30 days." />
    </div>
    <p role="status" class=${counted ? 'subject' : 'visually-hidden'} data-test="replay-count">
      ${counted && html`<strong>${many}</strong>
      in this period ${counted.count === 1 ? 'matches' : 'match'} the endpoint\u2019s subscriptions${
        e.filters?.length > 0 && '; its conditions may exclude some'}.`}</p>
  <//>`;
}

export function Remove({ endpoint: e, onClose }) {
  return html`<${ConfirmMutation} title="Delete this endpoint?" name="webhook-delete" submit="Delete"
    document=${documents.remove} variables=${{ id: e.id }} done="Endpoint deleted."
    changed=${() => go(to('/webhooks'), { replace: true })} onClose=${onClose}>
    <p><strong><${Address} url=${e.url} /></strong> is permanently deleted with its waiting deliveries.
      To stop it temporarily, disable it.</p>
  <//>`;
}

export function TestSend({ endpoint: e, onClose, changed }) {
  const run = useMutation(documents.test, { once: false }); // the answer is not stored
  const [state, setState] = useState({ turn: 0, attempt: null, failure: null });
  const again = () => setState((s) => ({ turn: s.turn + 1, attempt: null, failure: null }));
  useEffect(() => {
    let unmounted = false;
    const settle = (more) => {
      changed();
      if (!unmounted) {
        setState((s) => ({ ...s, ...more }));
      }
    };
    run({ id: e.id }).then((p) => settle({ attempt: p.delivery.attempts[0] }), (failure) => settle({ failure }));
    return () => {
      unmounted = true;
    };
  }, [state.turn]);
  const { attempt, failure } = state;
  return html`<${Dialog} title="Send test" name="webhook-test-dialog" onClose=${onClose}>
    <p>A <code>ping</code> to <${Address} url=${e.url} />, whatever the endpoint's status.
      It is signed like any delivery and changes nothing.</p>
    <div role="status" data-test="test-outcome">
      ${failure ? html`<${LoadError} failure=${failure} />`
        : !attempt ? html`<p class="muted">The receiver has a few seconds to respond.</p><${Skeleton} rows=${2} />`
        : html`<${Attempt} of=${attempt} />`}
    </div>
    <div class="form-end under">
      <${Button} aria-disabled=${attempt || failure ? undefined : 'true'} act=${() => (attempt || failure) && again()}
        test="test-again">Send again<//>
      <${Button} kind="primary" act=${onClose} test="test-done">Done<//>
    </div>
  <//>`;
}

/** When the old secret stops signing. */
export function SecretNote({ until }) {
  return html`<${Alert} tone="info">Until <${Time} at=${until} />, or until you promote it, deliveries are signed
    with both secrets: <code>x-service-signature</code> with the old one, and <code>webhook-signature</code>
    with both.<//>`;
}
