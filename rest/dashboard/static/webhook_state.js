// What the pages about webhooks share.
import { html } from './lib.js';
import { Badge, Time, humanize } from './ui.js';
import { to } from './route.js';

export const deliveryStates = ['WAITING', 'DELIVERED', 'FAILED', 'HELD', 'SKIPPED', 'CANCELLED'];

const day = 24 * 3600e3;

/** The status of an endpoint, or PAUSED or FAILING if it is active. */
export const health = (e) => (e.status !== 'ACTIVE' ? e.status : e.pausedUntil ? 'PAUSED'
  : e.failingSince ? 'FAILING' : e.status);

export const suspendedBy = (failingSince) => new Date(Date.parse(failingSince) + day).toISOString();

export const suspensionReasons = {
  DELIVERY_FAILED: 'A delivery failed for 24 hours.',
  NO_SUCCESS: 'No delivery succeeded for 24 hours.',
  MANUAL: 'Disabled manually.',
  GRANT_REVOKED: 'The app that created it lost access to the store.',
};

/** The path of an endpoint or of one of its deliveries. */
export const endpointPath = (id, delivery) =>
  '/webhooks/' + encodeURIComponent(id) + (delivery ? '/deliveries/' + encodeURIComponent(delivery) : '');

/** The host of a URL, or the text if it is invalid. */
export function hostOf(url) {
  try {
    return new URL(url).host || url;
  } catch {
    return url;
  }
}

/** A URL that wraps anywhere and keeps its direction. */
export function Address({ url, short }) {
  return html`<bdi class=${short ? 'url short' : 'url'}>${url}</bdi>`;
}

export const ownerOf = (e) => (e.app ? e.app.name : 'Store');

/** "1 event", "2 events". */
export const plural = (n, one, more = one + 's') => n.toLocaleString() + ' ' + (n === 1 ? one : more);

/** The number of waiting deliveries; the server counts up to 10,000. */
export const waitingCount = (n) => (n >= 10_000 ? '10,000 or more' : n.toLocaleString());

/** A duration in microseconds. */
export function formatMicros(us) {
  const digits = (n, most) => n.toLocaleString(undefined, { maximumFractionDigits: most });
  return us < 1_000_000 ? digits(us / 1000, us < 10_000 ? 1 : 0) + ' ms' : digits(us / 1e6, 2) + ' s';
}

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

export const outcomeOptions = Object.entries(outcomes);

/** The last error of an endpoint with the label of its outcome. */
export function errorText(text) {
  const [name] = text.split(':', 1);
  return (outcomes[name] ?? humanize(name)) + text.slice(name.length);
}

function Outcome({ of: a }) {
  return html`<${Badge} value=${a.outcome === 'delivered' ? 'DELIVERED' : 'FAILED'}
      text=${outcomes[a.outcome] ?? humanize(a.outcome)} />
    ${a.status && html` <span class="figure">HTTP ${a.status}</span>`}`;
}

export function Attempt({ of: a }) {
  return html`<p class="attempt-top"><strong>Attempt ${a.number}</strong> <${Outcome} of=${a} /> <span
      class="muted">after ${formatMicros(a.duration)}, <${Time} at=${a.at} how="second" /></span></p>
    ${a.detail && html`<p class="verbatim">${a.detail}</p>`}
    ${a.nextAt && html`<p class="muted">The next attempt was due <${Time} at=${a.nextAt} how="second" />.</p>`}
    ${(a.request || a.response) && html`<div class="exchange">
      ${a.request && html`<details class="answer" data-test="sent"><summary>Request sent</summary>
        <${Code} name=${'Request of attempt ' + a.number} text=${a.request.trimEnd()} test="request" /></details>`}
      ${a.response && html`<details class="answer" data-test="answer"><summary>Response received</summary>
        <${Code} name=${'Response to attempt ' + a.number} text=${a.response} /></details>`}</div>`}`;
}

/** Preformatted text that scrolls, with the keyboard too. */
export function Code({ name, text, test }) {
  return html`<pre class="code" tabindex="0" role="region" aria-label=${name} data-test=${test}>
    <code>${text}</code></pre>`;
}

/** Indents JSON. Other text is returned as it is. */
export function formatJSON(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export const attemptFields = 'id number at outcome status duration detail request response nextAt';

export const DeliveryLink = ({ of: d }) => html`<a class="strong" href=${to(endpointPath(d.endpointId, d.id))}
  data-test="delivery"><code>${d.type}</code></a>`;
