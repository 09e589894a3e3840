// The form of an endpoint, and the dialog that shows its secret.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { SecretDialog } from './ui.js';
import { Field, Area, Select, FormDialog, FieldError, text, useMutation, errors, optionalNumber } from './form.js';
import { EventChoice, useEventTypes } from './webhook_events.js';
import { Conditions, Headers, filterInput, filtersOf, headersOf, headersChanged } from './webhook_rows.js';

const create = `mutation EndpointCreate($input: WebhookEndpointCreateInput!) {
  webhookEndpointCreate(input: $input) { webhookEndpoint { id } secret ${errors} } }`;
const update = `mutation EndpointUpdate($id: ID!, $expectedVersion: Long!, $input: WebhookEndpointUpdateInput!) {
  webhookEndpointUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) {
    webhookEndpoint { id } ${errors} } }`;

function entered(v) {
  const input = {
    url: (v.get('url') ?? '').trim(), events: v.getAll('events').sort(), description: text(v, 'description'),
    payload: v.get('payload'), selection: v.get('payload') === 'SELECTION' ? v.get('selection') : null,
    rateLimit: optionalNumber(v, 'rateLimit'), filters: filtersOf(v), headers: headersOf(v),
  };
  if (input.url === '') {
    throw new FieldError('url', 'Enter the URL that receives the events.');
  }
  if (input.events.length === 0) {
    throw new FieldError('events', 'Choose at least one event.');
  }
  return input;
}

/** Creates an endpoint. onSecret gets its secret and id. */
export function NewEndpoint({ onClose, onSecret }) {
  const run = useMutation(create, { once: false });
  const action = async (v) => {
    const { webhookEndpoint, secret } = await run({ input: entered(v) });
    onSecret(secret, webhookEndpoint.id);
    return false; // the dialog with the secret replaces this one
  };
  return html`<${FormDialog} title="Add endpoint" name="webhook" submit="Add endpoint" busyText="Adding"
    onClose=${onClose} action=${action}><${Inputs} /><//>`;
}

/** Scheme, host and port of a URL. Header values are bound to them. */
function originOf(address) {
  try {
    return new URL(address.trim()).origin;
  } catch {
    return address;
  }
}

function changesOf(v, e) {
  const { headers, ...rest } = entered(v);
  const before = { ...e, filters: e.filters.map(filterInput) };
  const input = Object.fromEntries(Object.entries(rest)
    .filter(([k, value]) => JSON.stringify(value) !== JSON.stringify(before[k])));
  if (headersChanged(headers, e.headers) || originOf(rest.url) !== originOf(e.url)) {
    input.headers = headers;
  }
  return input;
}

export function EditEndpoint({ endpoint: e, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(update, { once: false }); // headers are secrets, so the answer is not stored
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
  const catalog = useEventTypes();
  const [address, setAddress] = useState(e?.url);
  const [payload, setPayload] = useState(e?.payload);
  return html`<${Field} name="url" label="Address" type="url" value=${e?.url} maxlength="2048" required
      onInput=${(i) => setAddress(i.target.value)} autocomplete="off" spellcheck=${false}
      hint="Starts with https://, or with tls:// for a NATS queue, and is reachable from the internet." />
    <${Field} name="description" label="Description" optional value=${e?.description} maxlength="255"
      autocomplete="off" hint="For example, Warehouse sync." />
    <${Field} name="rateLimit" label="Maximum attempts per second" optional type="number" min="1" max="1000" step="1"
      value=${e?.rateLimit} hint="Further deliveries wait. Leave empty for no limit." />
    <${Select} key=${'payload' + e?.version} name="payload" label="Messages" value=${e?.payload ?? 'FULL'}
      options=${[['FULL', 'Full: with the resource'], ['THIN', 'Thin: only its id and version'],
        ['SELECTION', 'Selection: only the fields that you select']]} onChange=${(i) => setPayload(i.target.value)}
      hint="With thin messages, the receiver reads the resource from the API." />
    ${payload === 'SELECTION' && html`<${Area} key=${'selection' + e?.version} name="selection" label="Selected fields"
      value=${e?.selection} rows="4" maxlength="4096" required spellcheck=${false}
      hint="GraphQL, for example { ... on Order { id number totalMinor } ... on Product { id title } }." />`}
    <${EventChoice} key=${'events' + e?.version} catalog=${catalog} chosen=${e?.events} />
    <${Conditions} key=${'filters' + e?.version} initial=${e?.filters} />
    <${Headers} key=${'headers' + e?.version} initial=${e?.headers}
      moved=${e && originOf(address) !== originOf(e.url)} />`;
}

export function EndpointSecret({ secret, title, children, onClose }) {
  return html`<${SecretDialog} title=${title} secret=${secret} onClose=${onClose}
    note="We store it encrypted and cannot show it again.">
    ${children}
    <p>Verify each delivery: <code>x-service-signature</code> is the HMAC-SHA256 of timestamp, period and body, keyed
      with this whole text, including <code>whsec_</code>. <a href="/docs/webhooks" target="_blank"
        rel="noopener">How to verify it</a></p><//>`;
}
