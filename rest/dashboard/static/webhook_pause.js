// Pausing and resuming an endpoint.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { Alert, Time } from './ui.js';
import { ActionButton, Field, FormDialog, transition, useAction, useMutation, errors } from './form.js';
import { pointIn, zoneHint } from './webhook_actions.js';
import { localTime } from './dates.js';

const pause = `mutation EndpointPause($id: ID!, $expectedVersion: Long!, $until: Time!) {
  webhookEndpointPause(id: $id, expectedVersion: $expectedVersion, until: $until) {
    webhookEndpoint { id } ${errors} } }`;
const unpause = transition('webhookEndpointUnpause', 'webhookEndpoint { id }');

const hour = 3600e3;
const lengths = [['1', '1 hour'], ['4', '4 hours'], ['24', '1 day'], ['own', 'Until a time']];

export function Pause({ endpoint: e, onClose, changed }) {
  const { zone } = useApp();
  const [length, setLength] = useState('1');
  const action = useAction(pause, (v) => ({
    id: e.id, expectedVersion: e.version, until: length === 'own' ? pointIn(v, 'until', zone)
      : new Date(Date.now() + Number(length) * hour).toISOString(),
  }), 'Endpoint paused.', changed);
  return html`<${FormDialog} title="Pause endpoint" name="webhook-pause" submit="Pause" busyText="Working"
    onClose=${onClose} onStale=${changed} action=${action}>
    <p>Nothing is sent while the endpoint is paused. Waiting and new deliveries are sent afterwards, in order, each with
      its own 24 hours of retries.</p>
    <fieldset class="choices"><legend>Duration</legend>
      ${lengths.map(([value, name]) => html`<div class="scope" key=${value}>
        <input type="radio" name="length" id=${'pause-' + value} value=${value} checked=${length === value}
          onChange=${() => setLength(value)} /><label for=${'pause-' + value}>${name}</label></div>`)}
    </fieldset>
    ${length === 'own' && html`<${Field} name="until" label="Until" type="datetime-local"
      value=${localTime(Date.now() + hour, zone).slice(0, 16)}
      hint=${zoneHint(zone) + ' At most seven days from now.'} />`}
  <//>`;
}

export function Resume({ of: e, changed }) {
  const run = useMutation(unpause);
  const end = async () => {
    await run({ id: e.id, expectedVersion: e.version });
    changed();
  };
  return html`<${ActionButton} kind="primary" run=${end} onStale=${changed} done="Endpoint resumed."
    data-test="webhook-resume">Resume<//>`;
}

export const Paused = ({ of: e }) => html`<${Alert} tone="info"><div data-test="paused">
  <p>This endpoint is paused. Nothing is sent until <${Time} at=${e.pausedUntil} />.
    Waiting and new deliveries are then sent in order.</p></div><//>`;
