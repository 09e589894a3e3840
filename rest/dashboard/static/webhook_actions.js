// What can be done to an endpoint: each is a dialog with one mutation.
import { html, useEffect, useState } from './lib.js';
import { useApp, go } from './context.js';
import { send } from './api.js';
import { Alert, Dialog, Time, Trouble, Waiting } from './ui.js';
import { Confirm, Field, FormDialog, Wrong, useMutation, useWrong } from './form.js';
import { Address, Attempt, attemptFields, count, errors } from './webhook_state.js';
import { atLocalTime, localTime } from './dates.js';
import { to } from './route.js';

const move = (name, more = '') => `mutation EndpointMove($id: ID!, $expectedVersion: Long!) {
  ${name}(id: $id, expectedVersion: $expectedVersion) {
    webhookEndpoint { id nextSecretPromotesAt } ${more} ${errors} } }`;
const documents = {
  disable: move('webhookEndpointDisable'),
  rotate: move('webhookEndpointRotateSecret', 'secret'),
  promote: move('webhookEndpointPromoteSecret'),
  reactivate: `mutation EndpointReactivate($id: ID!, $expectedVersion: Long!, $backlog: WebhookBacklog!, $since: Time) {
    webhookEndpointReactivate(id: $id, expectedVersion: $expectedVersion, backlog: $backlog, since: $since) {
      webhookEndpoint { id } ${errors} } }`,
  replay: `mutation EndpointReplay($id: ID!, $from: Time!, $to: Time!) {
    webhookEndpointReplay(id: $id, from: $from, to: $to) { webhookEndpoint { id } ${errors} } }`,
  remove: `mutation EndpointDelete($id: ID!) { webhookEndpointDelete(id: $id) { deletedId ${errors} } }`,
  test: `mutation EndpointTest($id: ID!) {
    webhookEndpointTest(id: $id) { delivery { id state attempts { ${attemptFields} } } ${errors} } }`,
};

/** A point in time that the person entered, by the clocks of the store. */
export function pointIn(values, field, zone) {
  const at = atLocalTime(values.get(field) ?? '', zone);
  if (!at) {
    throw new Wrong(field, 'Choose a day and a time.');
  }
  return at;
}

export const zoneHint = (zone) => `In the store's time zone, ${zone}.`;

export function Disable({ endpoint: e, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(documents.disable);
  const action = async () => {
    await run({ id: e.id, expectedVersion: e.version });
    notify('Endpoint disabled.');
    changed();
  };
  return html`<${Confirm} title="Disable this endpoint?" name="webhook-disable" submit="Disable"
    onClose=${onClose} onStale=${changed} action=${action}>
    <p>No more events are sent to <strong><${Address} url=${e.url} /></strong>. What waits is held until you
      reactivate the endpoint, and the event log keeps the rest for 30 days.</p>
  <//>`;
}

const backlogs = [
  ['RESUME', 'Continue where it stopped',
    'Sends failed and held deliveries, then later events, in order. Each is retried for 24 hours.'],
  ['FROM', 'Start at a time', 'Drops waiting deliveries and sends the events since the time that you choose.'],
  ['DROP', 'Skip missed events', 'Drops waiting deliveries and sends only new events.'],
];

export function Reactivate({ endpoint: e, onClose, changed }) {
  const { notify, zone } = useApp();
  const [backlog, choose] = useState('RESUME');
  const run = useMutation(documents.reactivate);
  const action = async (v) => {
    const since = backlog === 'FROM' ? pointIn(v, 'since', zone) : null;
    await run({ id: e.id, expectedVersion: e.version, backlog, since });
    notify('Endpoint reactivated.');
    changed();
  };
  return html`<${FormDialog} title="Reactivate the endpoint" name="webhook-reactivate" submit="Reactivate"
    busyText="Working" onClose=${onClose} onStale=${changed} action=${action}>
    <fieldset class="choices"><legend>Missed events</legend>
      ${backlogs.map(([value, name, sentence]) => html`<div class="scope" key=${value}>
        <input type="radio" name="backlog" id=${'backlog-' + value} value=${value} checked=${backlog === value}
          aria-describedby=${'backlog-' + value + '-text'} onChange=${() => choose(value)} />
        <div><label for=${'backlog-' + value}>${name}</label>
          <p class="hint" id=${'backlog-' + value + '-text'}>${sentence}</p></div></div>`)}
    </fieldset>
    <${BacklogTrouble} />
    ${backlog === 'FROM' && html`<${Field} name="since" label="Since" type="datetime-local" step="1"
      value=${localTime(e.suspendedAt ?? Date.now() - 3600e3, zone)}
      hint=${zoneHint(zone) + ' The event log covers the last 30 days.'} />`}
  <//>`;
}

/** What the server finds wrong with the choice. */
function BacklogTrouble() {
  const wrong = useWrong('backlog');
  return wrong && html`<p class="wrong">${wrong.join(' ')}</p>`;
}

/** Issues a second secret; shown gets it, and when it takes over. */
export function Rotate({ endpoint: e, onClose, changed, shown }) {
  const run = useMutation(documents.rotate, { once: false });
  const action = async () => {
    const { webhookEndpoint, secret } = await run({ id: e.id, expectedVersion: e.version });
    shown(secret, webhookEndpoint.nextSecretPromotesAt);
    return false; // the dialog with the secret takes this one's place
  };
  return html`<${FormDialog} title="Rotate the signing secret?" name="webhook-rotate" submit="Rotate"
    busyText="Rotating" onClose=${onClose} onStale=${changed} action=${action}>
    <p>This creates a second secret. For 24 hours, or until you promote it, both secrets sign every delivery,
      so your receiver can switch without downtime.</p>
  <//>`;
}

export function Promote({ endpoint: e, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(documents.promote);
  const action = async () => {
    await run({ id: e.id, expectedVersion: e.version });
    notify('New secret promoted.');
    changed();
  };
  return html`<${Confirm} title="Promote the new secret?" name="webhook-promote" submit="Promote" danger=${false}
    onClose=${onClose} onStale=${changed} action=${action}>
    <p>From now on only the secret that ends in <code>${e.nextSecretHint}</code> signs what is sent.
      A receiver that knows only the old secret rejects deliveries.</p>
  <//>`;
}

const eventPage = `query EventTimes($after: String) { events(first: 100, after: $after) {
  nodes { type occurredAt } pageInfo { hasNextPage endCursor } } }`;
const farthest = 50; // pages of the log that are looked through

/** How many events of a time the endpoint is subscribed to; "more" where the log is too long to count them all. */
async function countEvents(e, from, until) {
  let [found, after] = [0, null];
  for (let page = 0; page < farthest; page += 1) {
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

/** Sends the events of a time once more: first how many they are, then all of them. */
export function Replay({ endpoint: e, onClose, changed }) {
  const { notify, zone } = useApp();
  const run = useMutation(documents.replay);
  const [counted, note] = useState(null);
  const [[began, ended]] = useState(() => [localTime(Date.now() - 3600e3, zone), localTime(Date.now(), zone)]);
  const action = async (v) => {
    const from = pointIn(v, 'from', zone);
    const until = pointIn(v, 'to', zone);
    if (until <= from) {
      throw new Wrong('to', 'The end must be after the start.');
    }
    if (counted?.from !== from || counted?.until !== until) {
      note({ from, until, ...(await countEvents(e, from, until)) });
      return false;
    }
    await run({ id: e.id, from, to: until });
    notify('Replay started.');
    changed();
    return true;
  };
  const many = counted && (counted.more ? 'At least ' : '') + count(counted.count, 'event');
  return html`<${FormDialog} title="Replay events" name="webhook-replay" busyText="Working"
    submit=${counted ? 'Send ' + count(counted.count, 'event') + (counted.more ? ' or more' : '') : 'Count events'}
    onClose=${onClose} action=${action}>
    <p>Sends the events of this period again, only to this endpoint and after waiting deliveries.
      Your receiver recognizes them by event ID.</p>
    <div class="pair">
      <${Field} name="from" label="From" type="datetime-local" step="1" required
        onInput=${() => note(null)} value=${began}
        hint=${zoneHint(zone)} />
      <${Field} name="to" label="Until (exclusive)" type="datetime-local" step="1" required
        onInput=${() => note(null)} value=${ended}
        hint="The event log covers the last 30 days." />
    </div>
    <p role="status" class=${counted ? 'which' : 'unseen'} data-test="replay-count">
      ${counted && html`<strong>${many}</strong>
      of that time ${counted.count === 1 ? 'is one' : 'are ones'} that the endpoint is subscribed to${
        e.filters?.length > 0 && '; its conditions may exclude some'}.`}</p>
  <//>`;
}

export function Remove({ endpoint: e, onClose }) {
  const { notify } = useApp();
  const run = useMutation(documents.remove);
  const action = async () => {
    await run({ id: e.id });
    notify('Endpoint deleted.');
    go(to('/webhooks'), { replace: true });
  };
  return html`<${Confirm} title="Delete this endpoint?" name="webhook-delete" submit="Delete"
    onClose=${onClose} action=${action}>
    <p><strong><${Address} url=${e.url} /></strong> is permanently deleted with its waiting deliveries.
      To stop it temporarily, disable it.</p>
  <//>`;
}

/** Sends a ping and waits for what comes of it. */
export function TestSend({ endpoint: e, onClose, changed }) {
  const run = useMutation(documents.test, { once: false }); // it goes out of the database, so nothing of it is kept
  const [state, set] = useState({ turn: 0, attempt: null, failure: null });
  const again = () => set((s) => ({ turn: s.turn + 1, attempt: null, failure: null }));
  useEffect(() => {
    let gone = false;
    const settle = (more) => {
      changed();
      if (!gone) {
        set((s) => ({ ...s, ...more }));
      }
    };
    run({ id: e.id }).then((p) => settle({ attempt: p.delivery.attempts[0] }), (failure) => settle({ failure }));
    return () => {
      gone = true;
    };
  }, [state.turn]);
  const { attempt, failure } = state;
  return html`<${Dialog} title="Send test" name="webhook-test-dialog" onClose=${onClose}>
    <p>A <code>ping</code> to <${Address} url=${e.url} />, whatever the endpoint's status.
      It is signed like any delivery and changes nothing.</p>
    <div role="status" data-test="test-outcome">
      ${failure ? html`<${Trouble} failure=${failure} />`
        : !attempt ? html`<p class="muted">The receiver has a few seconds to respond.</p><${Waiting} rows=${2} />`
        : html`<${Attempt} of=${attempt} />`}
    </div>
    <div class="form-end under">
      <button type="button" class="button" aria-disabled=${attempt || failure ? undefined : 'true'}
        onClick=${() => (attempt || failure) && again()} data-test="test-again">Send again</button>
      <button type="button" class="button primary" onClick=${onClose} data-test="test-done">Done</button>
    </div>
  <//>`;
}

/** When both secrets end to be in use. */
export function SecretNote({ until }) {
  return html`<${Alert} tone="info">Until <${Time} at=${until} />, or until you promote it, what is sent carries
    both signatures: <code>x-service-signature</code> of the old secret,
    and <code>webhook-signature</code> of both.<//>`;
}
