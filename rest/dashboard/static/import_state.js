// Fields, states and progress of imports.
import { html } from './lib.js';
import { Badge } from './ui.js';
import { errors } from './form.js';

export const importFields = `id kind status dryRun fileName sourceUrl sizeBytes bytesDone linesDone createdCount
  updatedCount unchangedCount failedCount warningCount imagesPending imagesFailed error { code message }
  requestedBy { type name } createdAt startedAt completedAt`;

export const startImport = `mutation ImportStart($input: ImportStartInput!) {
  importStart(input: $input) { import { id } ${errors} } }`;

export const importPath = (id) => '/imports/' + encodeURIComponent(id);

/** The kinds of imports with their names. */
export const importKinds = { PRODUCTS: 'Products', INVENTORY: 'Inventory', CUSTOMERS: 'Customers',
  DISCOUNTS: 'Discounts', ORDERS: 'Orders' };

/** Whether an import has not ended yet. */
export const busy = (i) => i.status === 'QUEUED' || i.status === 'RUNNING';

/** The name of the file, or its address. */
export const nameOf = (i) => i.fileName ?? i.sourceUrl ?? 'File';

export const Status = ({ of: i }) => html`<${Badge} value=${i.status} />${
  i.dryRun && html` <${Badge} value="DRY_RUN" text="Trial" calm />`}`;

/** What an import did, or would do: "3 created, 1 failed". */
export function resultOf(i) {
  const parts = [[i.createdCount, i.dryRun ? 'to create' : 'created'],
    [i.updatedCount, i.dryRun ? 'to update' : 'updated'], [i.unchangedCount, 'unchanged'], [i.failedCount, 'failed'],
    [i.imagesPending, 'images to fetch'], [i.imagesFailed, 'images failed']]
    .filter(([n]) => n > 0).map(([n, text]) => n.toLocaleString() + ' ' + text);
  return parts.join(', ') || 'No rows yet';
}

export function Progress({ of: i }) {
  const known = i.status === 'RUNNING' && i.sizeBytes > 0;
  const percent = known ? Math.min(99, Math.floor(i.bytesDone * 100 / i.sizeBytes)) : 0;
  const text = i.status === 'QUEUED' ? 'Queued' : resultOf(i);
  return html`<span class="progress">
    ${i.status === 'RUNNING' && html`<progress max="100" value=${known ? percent : undefined}
      aria-label=${'Import of ' + nameOf(i)} aria-valuetext=${text + ', ' + percent + ' percent'}></progress>`}
    <span class="progress-text"><span>${text}</span>${known && html`<span class="figure">${percent} %</span>`}</span>
  </span>`;
}
