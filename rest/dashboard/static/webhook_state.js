// What the pages about webhooks say alike.
import { html } from './lib.js';
import { Badge, Time, words } from './ui.js';
import { to } from './route.js';

export const errors = 'userErrors { code message path }';

export const deliveryStates = ['WAITING', 'DELIVERED', 'FAILED', 'HELD', 'SKIPPED', 'CANCELLED'];

const day = 24 * 3600e3;

/** How an endpoint is doing: its status, or that an active one is paused or fails. */
export const health = (e) => (e.status !== 'ACTIVE' ? e.status : e.pausedUntil ? 'PAUSED'
  : e.failingSince ? 'FAILING' : e.status);

/** When an endpoint that fails will be suspended, unless it takes what fails. */
export const suspendedBy = (failingSince) => new Date(Date.parse(failingSince) + day).toISOString();

/** Why an endpoint stands still, as sentences. */
export const stops = {
  DELIVERY_FAILED: 'A delivery failed for 24 hours.',
  NO_SUCCESS: 'No delivery succeeded for 24 hours.',
  MANUAL: 'Disabled manually.',
  GRANT_REVOKED: 'The app that created it lost access to the store.',
};

/** The path of an endpoint's page, or of one of its deliveries. */
export const endpointPath = (id, delivery) =>
  '/webhooks/' + encodeURIComponent(id) + (delivery ? '/deliveries/' + encodeURIComponent(delivery) : '');

/** The host of an address, which says most of it; all of one that cannot be read. */
export function hostOf(url) {
  try {
    return new URL(url).host || url;
  } catch {
    return url;
  }
}

/** An address as a text that turns no direction and breaks anywhere. */
export function Address({ url, short }) {
  return html`<bdi class=${short ? 'url short' : 'url'}>${url}</bdi>`;
}

/** Whose an endpoint is. */
export const ownerOf = (e) => (e.app ? e.app.name : 'Store');

/** "1 event", "2 events". */
export const count = (n, one, more = one + 's') => n.toLocaleString() + ' ' + (n === 1 ? one : more);

/** How many deliveries wait; the server counts up to 10,000. */
export const waiting = (n) => (n >= 10_000 ? '10,000 or more' : n.toLocaleString());

/** Microseconds as people read them. */
export function span(us) {
  const digits = (n, most) => n.toLocaleString(undefined, { maximumFractionDigits: most });
  return us < 1_000_000 ? digits(us / 1000, us < 10_000 ? 1 : 0) + ' ms' : digits(us / 1e6, 2) + ' s';
}

/** The classes of outcomes, as people say them. */
const outcomes = {
  delivered: 'Delivered', client_error: 'Client error', server_error: 'Server error',
  unexpected_status: 'Unexpected status',
  redirect: 'Redirect, not followed', timeout: 'Response timed out',
  connect_timeout: 'Connection timed out', connect_failed: 'Connection failed',
  dns_failed: 'DNS lookup failed', tls_failed: 'TLS failed',
  address_refused: 'Address not allowed', reset: 'Connection closed',
  malformed_answer: 'Response is not HTTP', expired: 'Event expired', not_permitted: 'Owner not permitted',
  internal_error: 'Internal error', cancelled: 'Cancelled by the sender',
};

/** The classes of outcomes with their words, to choose among. */
export const outcomeOptions = Object.entries(outcomes);

/** The last error of an endpoint, which begins with the class. */
export function sayError(text) {
  const [name] = text.split(':', 1);
  return (outcomes[name] ?? words(name)) + text.slice(name.length);
}

/** What came of an attempt: the class, and the receiver's status where there is one. */
export function Outcome({ of: a }) {
  return html`<${Badge} value=${a.outcome === 'delivered' ? 'DELIVERED' : 'FAILED'}
      text=${outcomes[a.outcome] ?? words(a.outcome)} />
    ${a.status && html` <span class="figure">HTTP ${a.status}</span>`}`;
}

/** One attempt with all that is known of it. */
export function Attempt({ of: a }) {
  return html`<p class="attempt-top"><strong>Attempt ${a.number}</strong> <${Outcome} of=${a} /> <span
      class="muted">after ${span(a.duration)}, <${Time} at=${a.at} how="second" /></span></p>
    ${a.detail && html`<p class="verbatim">${a.detail}</p>`}
    ${a.nextAt && html`<p class="muted">The next attempt was due <${Time} at=${a.nextAt} how="second" />.</p>`}
    ${(a.request || a.response) && html`<div class="exchange">
      ${a.request && html`<details class="answer" data-test="sent"><summary>Request sent</summary>
        <${Code} name=${'Request of attempt ' + a.number} text=${a.request.trimEnd()} test="request" /></details>`}
      ${a.response && html`<details class="answer" data-test="answer"><summary>Response received</summary>
        <${Code} name=${'Response to attempt ' + a.number} text=${a.response} /></details>`}</div>`}`;
}

/** A longer text as it is, in a box that can be scrolled with the keyboard too. */
export function Code({ name, text, test }) {
  return html`<pre class="code" tabindex="0" role="region" aria-label=${name} data-test=${test}>
    <code>${text}</code></pre>`;
}

/** The body with its members in lines; as it is where it is no JSON. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The fields of an attempt that are shown. */
export const attemptFields = 'id number at outcome status duration detail request response nextAt';

/** A link to a delivery, by its event. */
export const DeliveryLink = ({ of: d }) => html`<a class="strong" href=${to(endpointPath(d.endpointId, d.id))}
  data-test="delivery"><code>${d.type}</code></a>`;
