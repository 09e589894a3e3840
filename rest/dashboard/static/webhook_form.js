// The form of an endpoint, new or known, and the dialog that shows its secret.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { SecretDialog } from './ui.js';
import { Field, FormDialog, Wrong, text, useMutation } from './form.js';
import { EventChoice, useEventTypes } from './webhook_events.js';
import { Conditions, Headers, filterInput, filtersOf, headersOf, otherHeaders } from './webhook_rows.js';
import { errors } from './webhook_state.js';

const create = `mutation EndpointCreate($input: WebhookEndpointCreateInput!) {
  webhookEndpointCreate(input: $input) { webhookEndpoint { id } secret ${errors} } }`;
const update = `mutation EndpointUpdate($id: ID!, $expectedVersion: Long!, $input: WebhookEndpointUpdateInput!) {
  webhookEndpointUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) {
    webhookEndpoint { id } ${errors} } }`;

/** The rate that the person entered; null for none. */
function rateOf(v) {
  const typed = text(v, 'rateLimit');
  if (typed && !/^\d{1,9}$/.test(typed)) {
    throw new Wrong('rateLimit', 'Enter a whole number.');
  }
  return typed && Number(typed);
}

/** What the person entered. */
function entered(v) {
  const input = {
    url: (v.get('url') ?? '').trim(), events: v.getAll('events').sort(), description: text(v, 'description'),
    rateLimit: rateOf(v), filters: filtersOf(v), headers: headersOf(v),
  };
  if (input.url === '') {
    throw new Wrong('url', 'Enter the URL that receives the events.');
  }
  if (input.events.length === 0) {
    throw new Wrong('events', 'Choose at least one event.');
  }
  return input;
}

/** Registers an endpoint; shown gets its secret and its id. */
export function NewEndpoint({ onClose, shown }) {
  const run = useMutation(create, { once: false });
  const action = async (v) => {
    const { webhookEndpoint, secret } = await run({ input: entered(v) });
    shown(secret, webhookEndpoint.id);
    return false; // the dialog with the secret takes this one's place
  };
  return html`<${FormDialog} title="Add endpoint" name="webhook" submit="Add endpoint" busyText="Adding"
    onClose=${onClose} action=${action}><${Inputs} /><//>`;
}

/** Scheme, host and port of an address. Values of headers are known to one of them alone. */
function originOf(address) {
  try {
    return new URL(address.trim()).origin;
  } catch {
    return address;
  }
}

/** What the person changed. What is as it was is left out. */
function changesOf(v, e) {
  const { headers, ...rest } = entered(v);
  const before = { ...e, filters: e.filters.map(filterInput) };
  const input = Object.fromEntries(Object.entries(rest)
    .filter(([k, value]) => JSON.stringify(value) !== JSON.stringify(before[k])));
  if (otherHeaders(headers, e.headers) || originOf(rest.url) !== originOf(e.url)) {
    input.headers = headers;
  }
  return input;
}

/** Changes an endpoint. */
export function EditEndpoint({ endpoint: e, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(update, { once: false }); // its headers are secrets, so nothing of it is kept
  const action = async (v) => {
    const input = changesOf(v, e);
    if (Object.keys(input).length === 0) {
      notify('No changes to save.');
      return;
    }
    await run({ id: e.id, expectedVersion: e.version, input });
    notify('Endpoint saved.');
    changed();
  };
  return html`<${FormDialog} title="Edit endpoint" name="webhook" submit="Save"
    onClose=${onClose} onStale=${changed} action=${action}><${Inputs} endpoint=${e} /><//>`;
}

function Inputs({ endpoint: e }) {
  const catalogue = useEventTypes();
  const [address, type] = useState(e?.url);
  return html`<${Field} name="url" label="Address" type="url" value=${e?.url} maxlength="2048" required
      onInput=${(i) => type(i.target.value)} autocomplete="off" spellcheck=${false}
      hint="Starts with https:// and is reachable from the internet." />
    <${Field} name="description" label="Description" optional value=${e?.description} maxlength="255"
      autocomplete="off" hint="For example, Warehouse sync." />
    <${Field} name="rateLimit" label="Maximum attempts per second" optional type="number" min="1" max="1000" step="1"
      value=${e?.rateLimit} hint="Further deliveries wait. Leave empty for no limit." />
    <${EventChoice} key=${'events' + e?.version} catalogue=${catalogue} chosen=${e?.events} />
    <${Conditions} key=${'filters' + e?.version} initial=${e?.filters} />
    <${Headers} key=${'headers' + e?.version} initial=${e?.headers}
      moved=${e && originOf(address) !== originOf(e.url)} />`;
}

/** Shows the secret of an endpoint once. */
export function EndpointSecret({ secret, title, children, onClose }) {
  return html`<${SecretDialog} title=${title} secret=${secret} onClose=${onClose}
    kept="We store it encrypted and cannot show it again.">
    ${children}
    <p>Verify what you receive: <code>x-service-signature</code> is the HMAC with SHA-256 of timestamp, point
      and body, keyed with this whole text, <code>whsec_</code> included. <a href="/docs/webhooks" target="_blank"
        rel="noopener">How to verify it</a></p><//>`;
}
