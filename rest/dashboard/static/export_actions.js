// What can be done with exports: start one, fetch its file, cancel and delete it.
import { html, useState } from './lib.js';
import { useApp, go } from './context.js';
import { to } from './route.js';
import { Failure, send } from './api.js';
import { safeURL, words } from './ui.js';
import { Icon } from './icons.js';
import { ActionButton, Check, Confirm, Field, FormDialog, Select, Wrong, useMutation, useWrong } from './form.js';
import { Narrowed, errors, exportPath, formOf, startExport, statuses, titleOf } from './export_state.js';
import { dayName, dayOf, nextDay, startOfDay } from './dates.js';

const cancel = `mutation ExportCancel($id: ID!) { exportCancel(id: $id) { export { id } ${errors} } }`;
const remove = `mutation ExportDelete($id: ID!) { exportDelete(id: $id) { deletedId ${errors} } }`;
const link = `query ExportLink($id: ID!) { export(id: $id) { downloadUrl } }`;

const kinds = [
  ['ORDERS', 'Orders', 'Includes line items. CSV files have one row per line item.'],
  ['PRODUCTS', 'Products', 'Includes prices, stock and tags.'],
  ['CUSTOMERS', 'Customers', 'Includes contact details and addresses.'],
];
const forms = [
  ['SPREADSHEET', 'For spreadsheets', 
    'Formatted in the store\u2019s language and time zone.'],
  ['CSV', 'CSV', 'For programs. Times are in UTC and amounts in minor units.'],
  ['JSONL', 'JSON Lines', 'For programs. One JSON object per line, in the format of the API.'],
];

/** One of a few, each with a sentence: radio buttons that look like cards. */
function Picks({ legend, name, options, value, onChange }) {
  const wrong = useWrong(name);
  return html`<fieldset class="picks"><legend>${legend}</legend><div class="picks-row">
    ${options.map(([v, title, sentence]) => html`<div class="pick" key=${v}>
      <input type="radio" name=${name} id=${name + '-' + v} value=${v} checked=${value === v}
        aria-describedby=${name + '-' + v + '-text'} onChange=${() => onChange(v)} />
      <label for=${name + '-' + v}>${title}</label>
      <p class="hint" id=${name + '-' + v + '-text'}>${sentence}</p></div>`)}
  </div>${wrong && html`<p class="wrong">${wrong.join(' ')}</p>`}</fieldset>`;
}

const shift = (day, days) => new Date(Date.parse(day + 'T00:00:00Z') + days * 86400e3).toISOString().slice(0, 10);
const monthOf = (day) => day.slice(0, 8) + '01';

/** Ranges of days by name; both their days are in. */
const ranges = {
  any: ['Any time', () => [null, null]],
  today: ['Today', (today) => [today, today]],
  week: ['Last 7 days', (today) => [shift(today, -6), today]],
  days: ['Last 30 days', (today) => [shift(today, -29), today]],
  month: ['This month', (today) => [monthOf(today), today]],
  before: ['Last month', (today) => [monthOf(shift(monthOf(today), -1)), shift(monthOf(today), -1)]],
  own: ['Custom range', null],
};

const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text);

/** The days that the person chose. */
function daysOf(v, today) {
  const chosen = ranges[v.get('range')][1];
  if (chosen) {
    return chosen(today);
  }
  const [from, until] = [v.get('filters.createdFrom'), v.get('filters.createdTo')];
  if (!isDay(from) && !isDay(until)) {
    throw new Wrong('filters.createdFrom', 'Choose a start or an end date.');
  }
  if (isDay(from) && isDay(until) && until < from) {
    throw new Wrong('filters.createdTo', 'The end date must not be before the start date.');
  }
  return [isDay(from) ? from : null, isDay(until) ? until : null];
}

/** Starts a job; begun gets its id. */
export function StartExport({ onClose, begun }) {
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
      status: v.get('filters.status') || null,
    };
    const compression = v.has('gzip') ? 'GZIP' : 'NONE';
    const { export: made } = await run({ input: { kind, format, compression, filters } });
    notify('The export of ' + kind.toLowerCase() + ' started.');
    begun(made.id);
  };
  const preset = ranges[range][1]?.(today);
  const days = preset?.[0] &&
    (preset[0] === preset[1] ? dayName(preset[0]) : dayName(preset[0]) + ' to ' + dayName(preset[1]));
  return html`<${FormDialog} title="New export" name="export" submit="Start export" busyText="Starting"
    onClose=${onClose} action=${action}>
    <${Picks} legend="What" name="kind" options=${kinds} value=${kind} onChange=${setKind} />
    <div class="pair">
      <${Select} name="range" label="Created" options=${Object.entries(ranges).map(([k, [text]]) => [k, text])}
        value="any" onChange=${(e) => setRange(e.target.value)} hint=${days ? days + ', in ' + zone : undefined} />
      <${Select} key=${kind} name="filters.status" label="Status"
        options=${[['', 'Any'], ...statuses[kind].map((s) => [s, words(s)])]} />
    </div>
    ${range === 'own' && html`<div class="pair">
      <${Field} name="filters.createdFrom" label="From" type="date" max=${today}
        hint=${'Days in the store\u2019s time zone, ' + zone + '.'} />
      <${Field} name="filters.createdTo" label="Until" type="date" hint="Includes this day." />
    </div>`}
    <${Picks} legend="Format" name="format" options=${forms} value=${format} onChange=${setFormat} />
    <${Check} name="gzip" label="Compress with gzip"
      hint="Makes the file smaller; its name ends in .gz. Files are kept for 7 days." />
  <//>`;
}

/**
 * A button that exports the chosen rows of a list, or else what the list shows by its filters, to a file for
 * spreadsheets. An export knows neither words nor tags, so the button says what it takes.
 */
export function ExportShown({ kind, filters, f, picked }) {
  const { can } = useApp();
  const all = Object.values(filters ?? {}).some(Boolean) ? 'Export all that match these filters' : 'Export all';
  const chosen = picked.rows.map((row) => row.id);
  const run = useMutation(startExport);
  const start = async () => {
    const input = { kind, format: 'SPREADSHEET', filters: chosen.length ? { ids: chosen } : filters };
    const { export: made } = await run({ input });
    go(to(exportPath(made.id)));
  };
  return can('exports') && html`<${ActionButton} run=${start} done="Export started." data-test="export-shown">
    <${Icon} name="exports" size="16" />${chosen.length ? 'Export ' + chosen.length + ' selected'
      : f.q || f.tag ? all : 'Export these'}<//>`;
}

/** Fetches the file by a fresh link, which serves for 15 minutes whoever holds it. */
export function Download({ of: e, kind = '', gone }) {
  const fetchLink = async () => {
    const { data } = await send(link, { id: e.id });
    const url = data.export?.downloadUrl && safeURL(data.export.downloadUrl);
    if (!url) {
      gone();
      throw new Failure('The file is no longer available.', 'gone');
    }
    // An error must not take the dashboard's place, so it is not the page that goes there.
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
  return html`<${Confirm} title="Cancel this export?" name="export-cancel" submit="Cancel export" keep="Keep exporting"
    onClose=${onClose} action=${action}>
    <p>The export stops and no file is kept. You can start another one at any time.</p>
    <${Which} of=${e} />
  <//>`;
}

export function DeleteExport({ of: e, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(remove);
  const action = async () => {
    await run({ id: e.id });
    notify('Export deleted.');
    changed();
  };
  return html`<${Confirm} title="Delete this export?" name="export-delete" submit="Delete"
    onClose=${onClose} action=${action}>
    <p>${e.status === 'COMPLETED'
      ? 'The file is permanently deleted and its links stop working.' : 'It is permanently removed from the list.'}</p>
    <${Which} of=${e} />
  <//>`;
}

/** Which export a dialog is about. */
const Which = ({ of: e }) => html`<p class="which"><span class="strong">${titleOf(e)}</span>
  <span class="muted block">${formOf(e)}. <${Narrowed} of=${e} /></span></p>`;
