// What the pages about exports say alike.
import { html } from './lib.js';
import { useApp } from './context.js';
import { Badge, words } from './ui.js';
import { endpointPath } from './webhook_state.js';
import { to } from './route.js';
import { dateTime, dayName, dayOf, nextDay, startOfDay } from './dates.js';

export const errors = 'userErrors { code message path }';

/** The fields of an export that lists and pages show; its link is asked for when somebody wants the file. */
export const exportFields = `id kind format compression webhookId
  filters { createdFrom createdTo status financialStatus fulfillmentStatus customerId ids }
  status progress { rowsDone rowsEstimated } rowCount fileSizeBytes sha256 error { code message }
  requestedBy { type name } createdAt startedAt completedAt expiresAt`;

export const startExport = `mutation ExportStart($input: ExportStartInput!) {
  exportStart(input: $input) { export { id } ${errors} } }`;

/** The states that a resource may be in, and so what an export of it may be narrowed to. */
export const statuses = {
  ORDERS: ['open', 'completed', 'cancelled'],
  PRODUCTS: ['draft', 'active', 'archived'],
  CUSTOMERS: ['guest', 'active', 'disabled', 'redacted'],
};

export const formats = { CSV: 'CSV', JSONL: 'JSON Lines', SPREADSHEET: 'Spreadsheet' };

/** The path of an export's page. */
export const exportPath = (id) => '/exports/' + encodeURIComponent(id);

/** Whether a job is still to end. */
export const busy = (e) => e.status === 'QUEUED' || e.status === 'RUNNING';

/** What is exported, "orders". */
export const kindOf = (e) => words(e.kind).toLowerCase();

/** "Export of orders". */
export const titleOf = (e) => 'Export of ' + kindOf(e);

/** The form of the file, "CSV, gzip". */
export const formOf = (e) => formats[e.format] + (e.compression === 'GZIP' ? ', gzip' : '');

/** "1 row", "2 rows". */
export const rows = (n) => n.toLocaleString() + (n === 1 ? ' row' : ' rows');

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** A number of bytes as people read it: "318 kB". */
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

/** One end of a range: a day where a day begins or ends there, or else the time. The later end is not in the range. */
function edge(at, zone, later) {
  const day = dayOf(Date.parse(at) - (later ? 1 : 0), zone);
  const whole = Date.parse(startOfDay(later ? nextDay(day) : day, zone)) === Date.parse(at);
  return whole ? dayName(day) : (later ? 'before ' : '') + dateTime(at, zone);
}

/** What a job was narrowed to, as a sentence without an end; "" for all there is. */
export function filtersOf(e, zone) {
  const { createdFrom, createdTo, status, financialStatus, fulfillmentStatus, customerId, ids } = e.filters;
  const from = createdFrom && edge(createdFrom, zone);
  const until = createdTo && edge(createdTo, zone, true);
  const made = from && until ? (from === until ? 'created ' + from : 'created ' + from + ' to ' + until)
    : from ? 'created from ' + from
    : until ? 'created ' + (until.startsWith('before') ? '' : 'until ') + until : '';
  const text = [ids && ids.length + ' chosen', status, financialStatus && words(financialStatus).toLowerCase(),
    fulfillmentStatus && words(fulfillmentStatus).toLowerCase(), customerId && 'of one customer', made]
    .filter(Boolean).join(', ');
  return text && text[0].toUpperCase() + text.slice(1);
}

/** What a job was narrowed to. */
export function Narrowed({ of: e }) {
  const { zone } = useApp();
  const text = filtersOf(e, zone);
  if (e.webhookId) {
    return html`To <a href=${to(endpointPath(e.webhookId))}><code class="id">${e.webhookId}</code></a>${
      text && html`<span class="block">${text}</span>`}`;
  }
  return text || 'All ' + kindOf(e);
}

/** How far a job has come: a bar with its words, which screen readers get too. */
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

/** A job's status as a badge. */
export const Status = ({ of: e }) => html`<${Badge} value=${e.status} />`;

/** Who asked for it; a program with what kind of one it is. */
export const requester = (e) =>
  (e.requestedBy.type === 'STAFF' ? e.requestedBy.name : e.requestedBy.name + ' (' + words(e.requestedBy.type) + ')');
