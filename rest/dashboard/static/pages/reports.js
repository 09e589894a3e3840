// Reports of sales by period, as tables, charts and files.
import { html, useEffect, useState } from '../lib.js';
import { useApp, useFilters, useQuery, go } from '../context.js';
import { Alert, Button, Card, Empty, Page, Pending, Skeleton, Time } from '../ui.js';
import { Field, FieldError, Form, Select, errors, useAction } from '../form.js';
import { Table } from '../list.js';
import { ConnectionLost, usePoll } from '../live.js';
import { Plot } from '../plot.js';
import { SalesChart } from '../chart.js';
import { compactMoney, money } from '../money.js';
import { csv, saveFile } from '../csv.js';
import { fileRows, shownColumns, tables } from '../report_tables.js';
import { dayName, dayOf, isDay } from '../dates.js';
import { to } from '../route.js';

const create = `mutation ReportCreate($input: ReportCreateInput!) {
  reportCreate(input: $input) { report { id } ${errors} } }`;
const sums = '{ orders grossMinor discountMinor shippingMinor taxMinor totalMinor refundedMinor }';
const read = (table) => `query Report($id: ID!) { report(id: $id) { id status firstDay lastDay timezone currency
  result { sums ${sums} before ${sums} conversion { carts checkouts orders } ${tables[table].query} } } }`;

const recent = '{ reports { id status firstDay lastDay createdAt } }';

const shift = (day, days) => new Date(Date.parse(day + 'T00:00:00Z') + days * 86400e3).toISOString().slice(0, 10);

/** The days of a period that ends today or earlier. */
const periods = {
  WEEK: ['Last 7 days', (today) => [shift(today, -6), today]],
  DAYS30: ['Last 30 days', (today) => [shift(today, -29), today]],
  MONTH: ['This month', (today) => [today.slice(0, 8) + '01', today]],
  LAST_MONTH: ['Last month', (today) => {
    const last = shift(today.slice(0, 8) + '01', -1);
    return [last.slice(0, 8) + '01', last];
  }],
  YEAR: ['This year', (today) => [today.slice(0, 5) + '01-01', today]],
  CUSTOM: ['Other days', null],
};

export function Reports() {
  const f = useFilters();
  const table = tables[f.by] ? f.by : 'DAYS';
  const query = useQuery(f.id ? read(table) : '', { id: f.id });
  const report = query.data?.report;
  usePoll(query, report?.status === 'QUEUED');
  return html`<${Page} title="Reports" back=${f.id && { href: to('/reports'), text: 'Recent reports' }}
    lead="Sales, refunds, tax and stock. Reports are kept for 7 days.">
    <${ConnectionLost} query=${query} />
    <${Period} created=${({ report: r }) => go(to('/reports', { id: r.id, by: f.by }))} />
    ${!f.id ? html`<${Recent} />`
      : !report ? html`<${Card}><${Pending} of=${query} rows=${8} /><//>`
      : report.status === 'FAILED' ? html`<${Alert}>This report could not be computed. Create it again, with fewer
          days if it fails once more.<//>`
      : !report.result ? html`<${Card}><p role="status" data-test="report-running">Computing the report…</p>
          <${Skeleton} rows=${8} /><//>`
      : html`<${Result} report=${report} table=${table} id=${f.id} stale=${query.loading} />`}
  <//>`;
}

/** The reports that are kept. */
function Recent() {
  const query = useQuery(recent);
  const list = query.data?.reports;
  return html`<${Card} title="Recent reports" name="reports">
    ${!list ? html`<${Pending} of=${query} rows=${4} />`
      : list.length === 0 ? html`<${Empty} icon="reports" title="No report yet">Choose a period.<//>`
      : html`<ul class="link-list">${list.map((r) => html`<li key=${r.id}>
          <a class="grow" href=${to('/reports', { id: r.id })}>${dayName(r.firstDay)} – ${dayName(r.lastDay)}</a>
          <span class="muted"><${Time} at=${r.createdAt} how="ago" /></span></li>`)}</ul>`}<//>`;
}

function Period({ created }) {
  const { zone } = useApp();
  const [period, setPeriod] = useState('DAYS30');
  const action = useAction(create, (v) => {
    const [first, last] = periods[period][1]?.(dayOf(Date.now(), zone)) ?? [v.get('firstDay'), v.get('lastDay')];
    const wrong = [['firstDay', first], ['lastDay', last]].find(([, day]) => !isDay(day));
    if (wrong) {
      throw new FieldError(wrong[0], 'Choose a day.');
    }
    return { input: { firstDay: first, lastDay: last } };
  }, 'Report started.', created);
  return html`<${Card} title="Period" name="report-period"><${Form} name="report" submit="Create report"
    busyText="Starting" action=${action} autosaved>
    <${Select} name="period" label="Period" value=${period} options=${Object.entries(periods).map(([k, [t]]) => [k, t])}
      onChange=${(e) => setPeriod(e.target.value)} hint=${'Days begin at midnight in ' + zone + '.'} />
    ${period === 'CUSTOM' && html`<div class="pair">
      <${Field} name="firstDay" label="First day" type="date" required />
      <${Field} name="lastDay" label="Last day" type="date" required />
    </div>`}
  <//><//>`;
}

function Result({ report, table, id, stale }) {
  const { result: r, currency } = report;
  const { columns, of, text } = tables[table];
  const list = of(r) ?? []; // the data of the previous table stays until the next is there
  const period = dayName(report.firstDay) + ' – ' + dayName(report.lastDay);
  const save = () => saveFile(`${text.toLowerCase()}-${report.firstDay}-${report.lastDay}.csv`,
    csv(columns.map((c) => c.head + (c.minor && table !== 'STOCK' ? ' ' + currency : '')),
      fileRows(columns, list, currency)));
  return html`<${Sums} now=${r.sums} before=${r.before} currency=${currency} period=${period} />
    <${Conversion} of=${r.conversion} />
    <nav class="tabs" aria-label="Tables"><ul>${Object.entries(tables).map(([k, t]) => html`<li key=${k}>
      <a href=${to('/reports', { id, by: k })} aria-current=${k === table ? 'page' : undefined}
        data-test=${'by-' + k.toLowerCase()}>${t.text}</a></li>`)}</ul></nav>
    <${Card} title=${text} flush name="report-table"
      actions=${html`<${Button} kind="small" icon="exports" act=${save} test="report-csv">Download CSV<//>`}>
      ${stale || !of(r) ? html`<${Skeleton} rows=${8} />`
        : list.length === 0 ? html`<${Empty} title="Nothing in this period" />`
        : html`<div class="report-chart"><${Chart} table=${table} list=${list} report=${report} /></div>
          ${table === 'STOCK' && html`<p class="report-note">The stock when the report was made:
            ${' '}${r.stockTotals.map(stockText).join('; ')}.</p>`}
          <${Table} caption=${text + ', ' + period} rows=${list}
            columns=${shownColumns(columns.filter((c) => !c.fileOnly), currency)} id=${(row) => list.indexOf(row)} />`}
    <//>`;
}

/** What the stock of one currency is worth. */
const stockText = (s) => `${s.quantity.toLocaleString()} units worth ${money(s.valueMinor, s.currency)} at their `
  + `prices and ${money(s.costMinor, s.currency)} at cost`
  + (s.uncostedQuantity > 0 ? `, without ${s.uncostedQuantity.toLocaleString()} whose cost is unknown` : '');

/** The sums of the period beside those of the period before. */
function Sums({ now, before, currency, period }) {
  const show = (minor) => (minor < 0 ? '\u2212' : '') + money(Math.abs(minor), currency);
  const tile = (name, of, format) => html`<div class="tile" key=${name}><p class="tile-name">${name}</p>
    <p class="tile-value">${format(of(now))}</p><p class="muted">${format(of(before))} before</p></div>`;
  return html`<section class="tiles" aria-label=${period} data-test="report-sums">
    ${tile('Orders', (s) => s.orders, (n) => n.toLocaleString())}
    ${tile('Total', (s) => s.totalMinor, show)}
    ${tile('Refunded', (s) => s.refundedMinor, show)}
    ${tile('Net', (s) => s.totalMinor - s.refundedMinor, show)}</section>`;
}

function Conversion({ of }) {
  if (!of?.carts) {
    return null;
  }
  const share = (n) => (n / of.carts).toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 });
  return html`<p data-test="report-conversion">Of ${of.carts.toLocaleString()} carts,
    ${' '}${share(of.checkouts)} reached the checkout, and ${share(of.orders)} became orders.
    Visits are not tracked.</p>`;
}

function Chart({ table, list, report }) {
  const { chart, columns } = tables[table];
  const [at, setAt] = useState(0);
  useEffect(() => setAt(0), [table, report.id]);
  if (table === 'DAYS') {
    return html`<${SalesChart} report=${{ currency: report.currency, days: list }} />`;
  }
  const own = list.filter((r) => (r.currency ?? report.currency) === report.currency);
  const best = own.toSorted((a, b) => b[chart] - a[chart]).slice(0, 12);
  const { head } = columns.find((c) => c.name === chart);
  const name = (r) => (columns[0].show?.(columns[0].value(r), r) ?? columns[0].value(r)) + ' ' + (r.country ?? '');
  const shown = best[at] ?? best[0];
  const label = head + ': ' + best.map((r) => name(r) + ' ' + money(r[chart], report.currency)).join(', ');
  return html`<figure class="chart"><p class="chart-read" aria-hidden="true"><strong>${name(shown)}</strong>
      <span class="key total">${head} ${money(shown[chart], report.currency)}</span></p>
    <${Plot} compact label=${label} data=${[best.map((_, i) => i), best.map((r) => r[chart])]} of=${[list, table]}
      onPoint=${(i) => setAt(i ?? 0)} options=${(uPlot, theme) => bars(uPlot, theme, best, name, report.currency)} />
  </figure>`;
}

function bars(uPlot, { color, axis, grid }, best, name, currency) {
  const short = (text) => (text.length > 12 ? text.slice(0, 11) + '…' : text);
  return {
    scales: {
      x: { time: false, range: () => [-0.6, best.length - 0.4] },
      y: { range: (u, low, high) => [0, Math.max(1, high * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 30, space: 96, incrs: [1, 2, 3, 4, 6],
        values: (u, at) => at.map((i) => (best[i] ? short(name(best[i])) : '')) },
      { ...axis, grid, size: 64, values: (u, at) => at.map((v) => compactMoney(v, currency)) },
    ],
    series: [{}, { fill: color('--chart-total'), stroke: color('--chart-total'), width: 0,
      paths: uPlot.paths.bars({ size: [0.62, 48], radius: 0.2 }), points: { show: false } }],
  };
}
