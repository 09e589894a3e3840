// One event: its payload, and sending it again.
import { html, useRef, useState } from '../lib.js';
import { useAll, useApp, useQuery } from '../context.js';
import { Page, Card, Copyable, Empty, Facts, Time, Trouble, Waiting } from '../ui.js';
import { Check, FormDialog, Wrong, useMutation } from '../form.js';
import { Code, count, endpointPath, errors, hostOf, pretty } from '../webhook_state.js';
import { Thing } from './events.js';
import { to } from '../route.js';

const read = `query Event($id: ID!) {
  event(id: $id) { id type resourceType resourceId sequence occurredAt payload } }`;
const replay = `mutation EventReplay($id: ID!, $endpoint: ID!) {
  webhookEventReplay(id: $id, endpointId: $endpoint) { webhookEndpoint { id } ${errors} } }`;

export function Event({ id }) {
  const query = useQuery(read, { id });
  const known = useAll('webhookEndpoints', 'id url description status events');
  const [asking, ask] = useState(false);
  const back = { href: to('/events'), text: 'Events' };
  if (query.failure) {
    return html`<${Page} title="Event" back=${back}>
      <${Trouble} failure=${query.failure} reload=${query.reload} /><//>`;
  }
  const e = query.data?.event;
  if (!e) {
    return html`<${Page} title=${query.data ? 'Event not found' : 'Event'} back=${back}>${query.data
      ? html`<${Empty} icon="events" title="This event does not exist.">Events are kept for 30 days.<//>`
      : html`<${Card}><${Waiting} rows=${8} /><//>`}<//>`;
  }
  const subscribed = known.nodes?.filter((w) => w.events.includes(e.type)) ?? [];
  const open = subscribed.filter((w) => w.status === 'ACTIVE');
  const actions = open.length > 0 && html`<button type="button" class="button" onClick=${() => ask(true)}
    data-test="event-again">Resend</button>`;
  return html`<${Page} title=${e.type} back=${back} actions=${actions}>
    <div class="split">
      <${Card} title="Payload" name="payload">
        ${e.payload == null ? html`<p class="muted">Your role does not have access to this payload.</p>`
          : html`<${Code} name="JSON of the payload" text=${pretty(e.payload)} test="payload" />`}
      <//>
      <div class="stack">
        <${Card} title="Event" name="event"><${Facts} rows=${[
          ['Resource', html`<${Thing} of=${e} />`],
          ['Related events', html`<a href=${to('/events', { resource: e.resourceId })}>Show events</a>`],
          ['When', html`<${Time} at=${e.occurredAt} how="second" />`],
          ['Sequence', html`<span class="figure">${e.sequence}</span>`],
          ['ID', html`<${Copyable} text=${e.id} test="event-id" />`],
        ]} /><//>
        <${Card} title="Subscribed endpoints" name="subscribers">
          ${known.failure ? html`<${Trouble} failure=${known.failure} reload=${known.reload} />`
            : !known.nodes ? html`<${Waiting} rows=${1} />`
            : subscribed.length === 0 ? html`<p class="muted">None.</p>`
            : html`<ul>${subscribed.map((w) => html`<li key=${w.id}><a href=${to(endpointPath(w.id))}>
                <bdi>${w.description || hostOf(w.url)}</bdi></a>
                ${w.status !== 'ACTIVE' && html` <span class="muted">
                  (${w.status.toLowerCase()})</span>`}</li>`)}</ul>`}
        <//>
      </div>
    </div>
    ${asking && html`<${Again} event=${e} endpoints=${open} onClose=${() => ask(false)} />`}
  <//>`;
}

/** Sends the event to the endpoints that are chosen, one after the other. */
function Again({ event: e, endpoints, onClose }) {
  const { notify } = useApp();
  const run = useMutation(replay, { once: false });
  const sent = useRef(new Set()); // should a later one fail, these are not sent to twice
  const [chosen, choose] = useState(new Set(endpoints.map((w) => w.id)));
  const pick = (id, on) => {
    const next = new Set(chosen);
    next[on ? 'add' : 'delete'](id);
    choose(next);
  };
  const action = async () => {
    if (chosen.size === 0) {
      throw new Wrong(endpoints[0].id, 'Choose at least one endpoint.');
    }
    for (const w of endpoints) {
      if (chosen.has(w.id) && !sent.current.has(w.id)) {
        await run({ id: e.id, endpoint: w.id });
        sent.current.add(w.id);
      }
    }
    notify('Event resent to ' + count(chosen.size, 'endpoint') + '.');
  };
  return html`<${FormDialog} title="Resend this event?" name="event-again"
    submit=${'Send to ' + count(chosen.size, 'endpoint')} busyText="Sending" onClose=${onClose} action=${action}>
    <p>Your receiver recognizes it by its event ID. Endpoints whose conditions exclude it do not get it.</p>
    ${endpoints.map((w) => html`<${Check} key=${w.id} name=${w.id} value=${true}
      label=${html`<bdi>${w.description || w.url}</bdi>`} onChange=${(x) => pick(w.id, x.target.checked)} />`)}
  <//>`;
}
