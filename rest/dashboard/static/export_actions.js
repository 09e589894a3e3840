// Starting, downloading, cancelling and deleting exports.
import { html, useState } from './lib.js';
import { useApp, go } from './context.js';
import { to } from './route.js';
import { Failure, send } from './api.js';
import { safeURL, humanize } from './ui.js';
import { Icon } from './icons.js';
import {
  ActionButton, Check, Confirm, Field, FormDialog, Select, FieldError, ConfirmMutation, useMutation, useFieldError,
  errors,
} from './form.js';
import { FilterSummary, exportPath, formatName, consents, startExport, titleOf, statuses } from './export_state.js';
import { dayName, dayOf, isDay, nextDay, startOfDay } from './dates.js';

const cancel = `mutation ExportCancel($id: ID!) { exportCancel(id: $id) { export { id } ${errors} } }`;
const remove = `mutation ExportDelete($id: ID!) { exportDelete(id: $id) { deletedId ${errors} } }`;
const link = `query ExportLink($id: ID!) { export(id: $id) { downloadUrl } }`;

const exportKinds = [
  ['ORDERS', 'Orders', 'Includes line items. CSV files have one row per line item.'],
  ['PRODUCTS', 'Products', 'Includes prices, stock and tags.'],
  ['CUSTOMERS', 'Customers', 'Includes contact details and addresses.'],
];
const exportFormats = [
  ['SPREADSHEET', 'For spreadsheets',
    'Formatted in the store\u2019s language and time zone.'],
  ['CSV', 'CSV', 'For programs. Times are in UTC and amounts in minor units.'],
  ['JSONL', 'JSON Lines', 'For programs. One JSON object per line, in the format of the API.'],
];

/** Radio buttons with explanations that look like cards. */
function RadioCards({ legend, name, options, value, onChange }) {
  const wrong = useFieldError(name);
  return html`<fieldset class="picks"><legend>${legend}</legend><div class="picks-row">
    ${options.map(([v, title, sentence]) => html`<div class="pick" key=${v}>
      <input type="radio" name=${name} id=${name + '-' + v} value=${v} checked=${value === v}
        aria-describedby=${name + '-' + v + '-text'} onChange=${() => onChange(v)} />
      <label for=${name + '-' + v}>${title}</label>
      <p class="hint" id=${name + '-' + v + '-text'}>${sentence}</p></div>`)}
  </div>${wrong && html`<p class="wrong">${wrong.join(' ')}</p>`}</fieldset>`;
}

const addDays = (day, days) => new Date(Date.parse(day + 'T00:00:00Z') + days * 86400e3).toISOString().slice(0, 10);
const monthOf = (day) => day.slice(0, 8) + '01';

/** Named ranges of days, both ends included. */
const ranges = {
  any: ['Any time', () => [null, null]],
  today: ['Today', (today) => [today, today]],
  week: ['Last 7 days', (today) => [addDays(today, -6), today]],
  days: ['Last 30 days', (today) => [addDays(today, -29), today]],
  month: ['This month', (today) => [monthOf(today), today]],
  before: ['Last month', (today) => [monthOf(addDays(monthOf(today), -1)), addDays(monthOf(today), -1)]],
  own: ['Custom range', null],
};

/** Returns the first and last day of the chosen range. */
function daysOf(v, today) {
  const chosen = ranges[v.get('range')][1];
  if (chosen) {
    return chosen(today);
  }
  const [from, until] = [v.get('filters.createdFrom'), v.get('filters.createdTo')];
  if (!isDay(from) && !isDay(until)) {
    throw new FieldError('filters.createdFrom', 'Choose a start or an end date.');
  }
  if (isDay(from) && isDay(until) && until < from) {
    throw new FieldError('filters.createdTo', 'The end date must not be before the start date.');
  }
  return [isDay(from) ? from : null, isDay(until) ? until : null];
}

/** The dialog that starts an export; onStart gets its id. */
export function StartExport({ onClose, onStart }) {
  const { notify, zone } = useApp();
  const [kind, setKind] = useState('ORDERS');
  const [format, setFormat] = useState('SPREADSHEET');
  const [range, setRange] = useState('any');
  const run = useMutation(startExport);
  const today = dayOf(Date.now(), zone);
  const action = async (v) => {
    const [from, until] = daysOf(v, today);
    const filters = {
      createdFrom: from && startOfDay(from, zone), createdTo: until && startOfDay(nextDay(until), zone),
      status: v.get('filters.status') || null, marketingConsent: v.get('filters.marketingConsent') || null,
    };
    const compression = v.has('gzip') ? 'GZIP' : 'NONE';
    const { export: created } = await run({ input: { kind, format, compression, filters } });
    notify('The export of ' + kind.toLowerCase() + ' started.');
    onStart(created.id);
  };
  const preset = ranges[range][1]?.(today);
  const days = preset?.[0] &&
    (preset[0] === preset[1] ? dayName(preset[0]) : dayName(preset[0]) + ' to ' + dayName(preset[1]));
  return html`<${FormDialog} title="New export" name="export" submit="Start export" busyText="Starting"
    onClose=${onClose} action=${action}>
    <${RadioCards} legend="What" name="kind" options=${exportKinds} value=${kind} onChange=${setKind} />
    <div class="pair">
      <${Select} name="range" label="Created" options=${Object.entries(ranges).map(([k, [text]]) => [k, text])}
        value="any" onChange=${(e) => setRange(e.target.value)} hint=${days ? days + ', in ' + zone : undefined} />
      <${Select} key=${kind} name="filters.status" label="Status"
        options=${[['', 'Any'], ...statuses[kind].map((s) => [s, humanize(s)])]} />
    </div>
    ${kind === 'CUSTOMERS' && html`<${Select} name="filters.marketingConsent" label="Marketing emails"
      options=${[['', 'Any'], ...Object.entries(consents)]}
      hint="For newsletters. Confirmed subscribers gave their consent in their account, whose address is proved." />`}
    ${range === 'own' && html`<div class="pair">
      <${Field} name="filters.createdFrom" label="From" type="date" max=${today}
        hint=${'Days in the store\u2019s time zone, ' + zone + '.'} />
      <${Field} name="filters.createdTo" label="Until" type="date" hint="Includes this day." />
    </div>`}
    <${RadioCards} legend="Format" name="format" options=${exportFormats} value=${format} onChange=${setFormat} />
    <${Check} name="gzip" label="Compress with gzip"
      hint="Makes the file smaller; its name ends in .gz. Files are kept for 7 days." />
  <//>`;
}

/**
 * A button that exports the selected rows, or all rows that match the filters, to a spreadsheet.
 * Exports cannot be filtered by search words or tags; the label then says so.
 */
export function ExportList({ kind, filters, f, selection }) {
  const { can } = useApp();
  const all = Object.values(filters ?? {}).some(Boolean) ? 'Export all that match these filters' : 'Export all';
  const chosen = selection.rows.map((row) => row.id);
  const run = useMutation(startExport);
  const start = async () => {
    const input = { kind, format: 'SPREADSHEET', filters: chosen.length ? { ids: chosen } : filters };
    const { export: created } = await run({ input });
    go(to(exportPath(created.id)));
  };
  return can('exports') && html`<${ActionButton} run=${start} done="Export started." data-test="export-shown">
    <${Icon} name="exports" size="16" />${chosen.length ? 'Export ' + chosen.length + ' selected'
      : f.q || f.tag ? all : 'Export these'}<//>`;
}

/** Downloads the file by a new link, which is valid for 15 minutes. */
export function Download({ of: e, kind = '', onMissing }) {
  const fetchLink = async () => {
    const { data } = await send(link, { id: e.id });
    const url = data.export?.downloadUrl && safeURL(data.export.downloadUrl);
    if (!url) {
      onMissing();
      throw new Failure('The file is no longer available.', 'gone');
    }
    // A link element keeps the dashboard open if the download fails.
    Object.assign(document.createElement('a'), { href: url, download: '' }).click();
  };
  return html`<${ActionButton} kind=${kind} run=${fetchLink} done="Download started." data-test="export-download"
    aria-label=${kind.includes('small') ? 'Download ' + titleOf(e).toLowerCase() : undefined}>
    <${Icon} name="exports" size="16" />Download<//>`;
}

export function CancelExport({ of: e, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(cancel);
  const action = async () => {
    try {
      await run({ id: e.id });
      notify('Export cancelled.');
    } finally {
      changed(); // it may have ended meanwhile
    }
  };
  return html`<${Confirm} title="Cancel this export?" name="export-cancel" submit="Cancel export"
    cancelText="Keep exporting"
    onClose=${onClose} action=${action}>
    <p>The export stops and no file is kept. You can start another one at any time.</p>
    <${ExportSummary} of=${e} />
  <//>`;
}

export function DeleteExport({ of: e, onClose, changed }) {
  return html`<${ConfirmMutation} title="Delete this export?" name="export-delete" submit="Delete" document=${remove}
    variables=${{ id: e.id }} done="Export deleted." changed=${changed} onClose=${onClose}>
    <p>${e.status === 'COMPLETED'
      ? 'The file is permanently deleted and its links stop working.' : 'It is permanently removed from the list.'}</p>
    <${ExportSummary} of=${e} />
  <//>`;
}

const ExportSummary = ({ of: e }) => html`<p class="subject"><span class="strong">${titleOf(e)}</span>
  <span class="muted block">${formatName(e)}. <${FilterSummary} of=${e} /></span></p>`;
