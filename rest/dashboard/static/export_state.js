// Names, states and filters of exports.
import { html } from './lib.js';
import { useApp } from './context.js';
import { Badge, humanize } from './ui.js';
import { endpointPath } from './webhook_state.js';
import { to } from './route.js';
import { dateTime, dayName, dayOf, nextDay, startOfDay } from './dates.js';
import { errors } from './form.js';

/** The fields of an export, without its download link, which is queried when it is needed. */
export const exportFields = `id kind format compression webhookId
  filters { createdFrom createdTo status financialStatus fulfillmentStatus customerId ids marketingConsent }
  status progress { rowsDone rowsEstimated } rowCount fileSizeBytes sha256 error { code message }
  requestedBy { type name } createdAt startedAt completedAt expiresAt`;

export const startExport = `mutation ExportStart($input: ExportStartInput!) {
  exportStart(input: $input) { export { id } ${errors} } }`;

/** The states of each resource, by which its export can be filtered. */
export const statuses = {
  ORDERS: ['open', 'completed', 'cancelled'],
  PRODUCTS: ['draft', 'active', 'archived'],
  CUSTOMERS: ['guest', 'active', 'disabled', 'redacted'],
};

/** Filters of customers by their consent to marketing emails. */
export const consents = { GIVEN: 'Subscribers', CONFIRMED: 'Confirmed subscribers' };

export const formats = { CSV: 'CSV', JSONL: 'JSON Lines', SPREADSHEET: 'Spreadsheet' };

export const exportPath = (id) => '/exports/' + encodeURIComponent(id);

/** Whether an export has not ended yet. */
export const busy = (e) => e.status === 'QUEUED' || e.status === 'RUNNING';

/** "orders" */
export const kindName = (e) => humanize(e.kind).toLowerCase();

/** "Export of orders" */
export const titleOf = (e) => 'Export of ' + kindName(e);

/** The file format: "CSV, gzip". */
export const formatName = (e) => formats[e.format] + (e.compression === 'GZIP' ? ', gzip' : '');

/** "1 row", "2 rows". */
export const rows = (n) => n.toLocaleString() + (n === 1 ? ' row' : ' rows');

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** A file size in readable units: "318 kB". */
export function bytes(n) {
  let unit = 0;
  let size = n;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return size.toLocaleString(undefined, {
    style: 'unit', unit: units[unit], unitDisplay: unit ? 'short' : 'long',
    maximumFractionDigits: unit && size < 10 ? 1 : 0,
  });
}

/** One end of a range: a day if it is at midnight, or a time. The later end is exclusive. */
function boundary(at, zone, later) {
  const day = dayOf(Date.parse(at) - (later ? 1 : 0), zone);
  const whole = Date.parse(startOfDay(later ? nextDay(day) : day, zone)) === Date.parse(at);
  return whole ? dayName(day) : (later ? 'before ' : '') + dateTime(at, zone);
}

/** Describes the filters of an export; "" if it has none. */
export function filtersOf(e, zone) {
  const { createdFrom, createdTo, status, financialStatus, fulfillmentStatus, customerId, ids } = e.filters;
  const from = createdFrom && boundary(createdFrom, zone);
  const until = createdTo && boundary(createdTo, zone, true);
  const made = from && until ? (from === until ? 'created ' + from : 'created ' + from + ' to ' + until)
    : from ? 'created from ' + from
    : until ? 'created ' + (until.startsWith('before') ? '' : 'until ') + until : '';
  const text = [ids && ids.length + ' selected', status, financialStatus && humanize(financialStatus).toLowerCase(),
    fulfillmentStatus && humanize(fulfillmentStatus).toLowerCase(), customerId && 'of one customer',
    consents[e.filters.marketingConsent]?.toLowerCase(), made]
    .filter(Boolean).join(', ');
  return text && text[0].toUpperCase() + text.slice(1);
}

export function FilterSummary({ of: e }) {
  const { zone } = useApp();
  const text = filtersOf(e, zone);
  if (e.webhookId) {
    return html`To <a href=${to(endpointPath(e.webhookId))}><code class="id">${e.webhookId}</code></a>${
      text && html`<span class="block">${text}</span>`}`;
  }
  return text || 'All ' + kindName(e);
}

export function Progress({ of: e }) {
  const { rowsDone: done, rowsEstimated: all } = e.progress;
  const known = e.status === 'RUNNING' && all != null && all > 0;
  const percent = known ? Math.min(99, Math.floor(done * 100 / all)) : 0;
  const text = e.status === 'QUEUED' ? 'Queued'
    : known ? done.toLocaleString() + ' of about ' + rows(Math.max(done, all)) : rows(done) + ' so far';
  return html`<span class="progress">
    ${e.status === 'RUNNING' && html`<progress max="100" value=${known ? percent : undefined}
      aria-label=${titleOf(e)} aria-valuetext=${text + (known ? ', ' + percent + ' percent' : '')}
      data-test="progress"></progress>`}
    <span class="progress-text"><span>${text}</span>${known && html`<span class="figure">${percent} %</span>`}</span>
  </span>`;
}

export const Status = ({ of: e }) => html`<${Badge} value=${e.status} />`;

/** Who requested an export, with the kind of client unless it is staff. */
export const requester = (e) =>
  e.requestedBy.name + (e.requestedBy.type === 'STAFF' ? '' : ' (' + humanize(e.requestedBy.type) + ')');
