// An event: its payload, and resending it.
import { html, useRef, useState } from '../lib.js';
import { useAll, useApp, useQuery } from '../context.js';
import { Page, Card, Copyable, Facts, Time, Pending, MissingPage, Button } from '../ui.js';
import { Check, FormDialog, FieldError, useMutation, errors } from '../form.js';
import { Code, plural, endpointPath, hostOf, formatJSON } from '../webhook_state.js';
import { ResourceLink } from './events.js';
import { to } from '../route.js';

const read = `query Event($id: ID!) {
  event(id: $id) { id type resourceType resourceId sequence occurredAt payload } }`;
const replay = `mutation EventReplay($id: ID!, $endpoint: ID!) {
  webhookEventReplay(id: $id, endpointId: $endpoint) { webhookEndpoint { id } ${errors} } }`;

export function Event({ id }) {
  const query = useQuery(read, { id });
  const endpoints = useAll('webhookEndpoints', 'id url description status events');
  const [resending, setResending] = useState(false);
  const back = { href: to('/events'), text: 'Events' };
  const e = query.data?.event;
  if (!e) {
    return html`<${MissingPage} query=${query} name="Event" icon="events" back=${back}>
      Events are kept for 30 days.<//>`;
  }
  const subscribed = endpoints.nodes?.filter((w) => w.events.includes(e.type)) ?? [];
  const active = subscribed.filter((w) => w.status === 'ACTIVE');
  const actions = active.length > 0 && html`<${Button} act=${() => setResending(true)} test="event-again">Resend<//>`;
  return html`<${Page} title=${e.type} back=${back} actions=${actions}>
    <div class="split">
      <${Card} title="Payload" name="payload">
        ${e.payload == null ? html`<p class="muted">Your role does not have access to this payload.</p>`
          : html`<${Code} name="JSON of the payload" text=${formatJSON(e.payload)} test="payload" />`}
      <//>
      <div class="stack">
        <${Card} title="Event" name="event"><${Facts} rows=${[
          ['Resource', html`<${ResourceLink} of=${e} />`],
          ['Related events', html`<a href=${to('/events', { resource: e.resourceId })}>Show events</a>`],
          ['When', html`<${Time} at=${e.occurredAt} how="second" />`],
          ['Sequence', html`<span class="figure">${e.sequence}</span>`],
          ['ID', html`<${Copyable} text=${e.id} test="event-id" />`],
        ]} /><//>
        <${Card} title="Subscribed endpoints" name="subscribers">
          ${!endpoints.nodes ? html`<${Pending} of=${endpoints} rows=${1} />`
            : subscribed.length === 0 ? html`<p class="muted">None.</p>`
            : html`<ul>${subscribed.map((w) => html`<li key=${w.id}><a href=${to(endpointPath(w.id))}>
                <bdi>${w.description || hostOf(w.url)}</bdi></a>
                ${w.status !== 'ACTIVE' && html` <span class="muted">
                  (${w.status.toLowerCase()})</span>`}</li>`)}</ul>`}
        <//>
      </div>
    </div>
    ${resending && html`<${ResendEvent} event=${e} endpoints=${active} onClose=${() => setResending(false)} />`}
  <//>`;
}

/** Sends the event to the chosen endpoints, one after another. */
function ResendEvent({ event: e, endpoints, onClose }) {
  const { notify } = useApp();
  const run = useMutation(replay, { once: false });
  const sent = useRef(new Set()); // not sent again if a later one fails
  const [chosen, setChosen] = useState(new Set(endpoints.map((w) => w.id)));
  const pick = (id, on) => {
    const next = new Set(chosen);
    next[on ? 'add' : 'delete'](id);
    setChosen(next);
  };
  const action = async () => {
    if (chosen.size === 0) {
      throw new FieldError(endpoints[0].id, 'Choose at least one endpoint.');
    }
    for (const w of endpoints) {
      if (chosen.has(w.id) && !sent.current.has(w.id)) {
        await run({ id: e.id, endpoint: w.id });
        sent.current.add(w.id);
      }
    }
    notify('Event resent to ' + plural(chosen.size, 'endpoint') + '.');
  };
  return html`<${FormDialog} title="Resend this event?" name="event-again"
    submit=${'Send to ' + plural(chosen.size, 'endpoint')} busyText="Sending" onClose=${onClose} action=${action}>
    <p>Your receiver recognizes it by its event ID. Endpoints whose conditions exclude it do not get it.</p>
    ${endpoints.map((w) => html`<${Check} key=${w.id} name=${w.id} value=${true}
      label=${html`<bdi>${w.description || w.url}</bdi>`} onChange=${(x) => pick(w.id, x.target.checked)} />`)}
  <//>`;
}
