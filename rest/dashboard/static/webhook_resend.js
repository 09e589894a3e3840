// Resends deliveries that match a filter: counts them first, then resends batch by batch.
import { html, useEffect, useLayoutEffect, useRef, useState } from './lib.js';
import { useApp } from './context.js';
import { Failure, messageOf, send } from './api.js';
import { Alert, Badge, Dialog, Button } from './ui.js';
import { Check, Field, Form, Select, FieldError, text, useMutation, useFieldError, errors } from './form.js';
import { plural, waitingCount, outcomeOptions } from './webhook_state.js';
import { pointIn, zoneHint } from './webhook_actions.js';

const read = `query DeliveryCount($id: ID!, $filter: WebhookDeliveryFilter!) {
  webhookEndpoint(id: $id) { deliveryCount(filter: $filter) } }`;
const retry = `mutation DeliveriesRetry($id: ID!, $filter: WebhookDeliveryFilter!, $after: String, $limit: Int!) {
  webhookDeliveriesRetry(endpointId: $id, filter: $filter, after: $after, limit: $limit) {
    count hasNextPage endCursor ${errors} } }`;

const batchSize = 500; // deliveries per request
const countLimit = 10_000; // the server stops counting there
const endedStates = ['FAILED', 'SKIPPED', 'CANCELLED', 'DELIVERED'];

function filterOf(v, zone) {
  const states = ['WAITING', ...endedStates].filter((s) => v.has('state-' + s));
  if (states.length === 0) {
    throw new FieldError('states', 'Choose at least one.');
  }
  if (states[0] === 'WAITING' && states.length > 1) {
    throw new FieldError('states', 'Choose waiting deliveries alone; they cannot be combined with other states.');
  }
  const point = (name) => (text(v, name) ? pointIn(v, name, zone) : null);
  const [settledFrom, settledTo] = [point('settledFrom'), point('settledTo')];
  if (settledFrom && settledTo && settledTo <= settledFrom) {
    throw new FieldError('settledTo', 'The end must be after the start.');
  }
  if (states[0] === 'WAITING' && (settledFrom || settledTo)) {
    throw new FieldError(settledFrom ? 'settledFrom' : 'settledTo',
      'Leave empty: waiting deliveries have no end time.');
  }
  const one = (name) => (v.get(name) ? [v.get(name)] : null);
  return { states, types: one('type'), outcomes: one('outcome'), settledFrom, settledTo };
}

export function Resend({ endpoint: e, onClose, changed }) {
  const { zone } = useApp();
  const [chosen, setChosen] = useState(null);
  const ask = async (v) => {
    const filter = filterOf(v, zone);
    const { data, errors: failures } = await send(read, { id: e.id, filter });
    const found = data.webhookEndpoint?.deliveryCount;
    if (found == null) {
      throw failures[0] ?? new Failure('This endpoint no longer exists.', 'not_found');
    }
    setChosen({ filter, found });
  };
  return html`<${Dialog} title="Resend by filter" name="resend-dialog" onClose=${onClose}>
    <div hidden=${Boolean(chosen)}><${Form} name="resend" submit="Count deliveries" busyText="Counting"
      cancel=${onClose} action=${ask}><${Choice} endpoint=${e} zone=${zone} /><//></div>
    ${chosen && html`<${Batches} endpoint=${e} of=${chosen} back=${() => setChosen(null)} onClose=${onClose}
      changed=${changed} />`}
  <//>`;
}

function Choice({ endpoint: e, zone }) {
  const wrong = useFieldError('states');
  const fails = Boolean(e.failingSince);
  return html`<p>Deliveries that ended in the last 14 days are sent again, after waiting ones. Deliveries that
      wait for their next attempt are tried now. Your receiver recognizes them by event ID.</p>
    <fieldset class="choices" name="states" aria-describedby=${wrong ? 'states-error' : undefined}>
      <legend>State</legend>
      ${wrong && html`<p class="wrong" id="states-error" data-test="error-states">${wrong.join(' ')}</p>`}
      <${Check} name="state-WAITING" label="Failed, waiting for the next attempt" value=${fails} />
      ${endedStates.map((s) => html`<${Check} key=${s} name=${'state-' + s} label=${html`<${Badge} value=${s} />`}
        value=${!fails && s === 'FAILED'} />`)}
    </fieldset>
    <div class="pair">
      <${Select} name="type" label="Event" options=${[['', 'Any'], ...e.events.map((n) => [n, n])]} />
      <${Select} name="outcome" label="Last attempt" options=${[['', 'Any'], ...outcomeOptions]} />
    </div>
    <div class="pair">
      <${Field} name="settledFrom" label="Ended after" optional type="datetime-local"
        hint=${zoneHint(zone)} />
      <${Field} name="settledTo" label="Ended before" optional type="datetime-local" />
    </div>`;
}

/** Resends batch by batch until all are done, an error occurs or the person stops. */
function useBatches(endpoint, filter, changed) {
  const run = useMutation(retry);
  const stop = useRef(false);
  const [state, setState] = useState({ phase: 'ready', sent: 0, after: null, failure: '' });
  useEffect(() => () => {
    stop.current = true; // the dialog was closed
  }, []);
  const start = async () => {
    stop.current = false;
    let { sent, after } = state;
    let [phase, failure] = ['sending', ''];
    setState({ phase, sent, after, failure });
    while (phase === 'sending') {
      try {
        const done = await run({ id: endpoint, filter, after, limit: batchSize });
        sent += done.count;
        after = done.endCursor;
        phase = !done.hasNextPage ? 'done' : stop.current ? 'stopped' : 'sending';
      } catch (err) {
        [phase, failure] = ['stopped', messageOf(err)];
      }
      setState((s) => ({ phase: phase === 'sending' ? s.phase : phase, sent, after, failure }));
    }
    changed();
  };
  const end = () => {
    stop.current = true;
    setState((s) => ({ ...s, phase: 'stopping' }));
  };
  return { ...state, start, end };
}

function Batches({ endpoint: e, of, back, onClose, changed }) {
  const { phase, sent, failure, start, end } = useBatches(e.id, of.filter, changed);
  const ref = useRef(null);
  const busy = phase === 'sending' || phase === 'stopping';
  useLayoutEffect(() => ref.current.querySelector('.form-end > :last-child').focus(), [phase]);
  const percent = phase === 'done' ? 100
    : busy && of.found >= countLimit ? undefined : Math.min(99, sent * 100 / of.found);
  const all = of.found >= countLimit ? waitingCount(of.found) + ' deliveries'
    : plural(of.found, 'delivery', 'deliveries');
  const says = phase === 'ready' ? html`<p><strong data-test="resend-count">${all}</strong>${
      of.found === 1 ? ' matches.' : ' match.'}</p>`
    : html`<p class="progress-text"><span data-test="resend-sent">${sent.toLocaleString()} of ${all} sent</span>
        <span>${{ sending: '', stopping: 'Stopping', stopped: 'Stopped', done: 'Done' }[phase]}</span></p>`;
  const button = (name, text, press, look = '') => html`<${Button} kind=${look} key=${name} act=${press}
    test=${'resend-' + name}>${text}<//>`;
  return html`<div ref=${ref} data-test=${'resend-is-' + phase}>
    <div role="status" class="progress">
      ${phase !== 'ready' && html`<progress max="100" aria-label="Sent again" value=${percent} />`}
      ${says}</div>
    ${failure && html`<${Alert}><p>${failure}</p><//>`}
    <div class="form-end under">
      ${phase === 'ready' && button('back', 'Change filter', back)}
      ${phase === 'ready' && (of.found > 0 ? button('start', 'Resend', start, 'primary')
        : button('done', 'Close', onClose, 'primary'))}
      ${busy && html`<${Button} aria-disabled=${phase === 'stopping' ? 'true' : undefined} act=${end}
        test="resend-stop">Stop<//>`}
      ${phase === 'stopped' && button('start', 'Continue', start)}
      ${(phase === 'stopped' || phase === 'done') && button('done', 'Close', onClose, 'primary')}
    </div>
  </div>`;
}
