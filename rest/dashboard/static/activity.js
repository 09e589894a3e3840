// The attempts of an endpoint over time, as a chart or as a few bars in a list row.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { Plot, loadPlot } from './plot.js';
import { clock, dateTime, shortDay } from './dates.js';
import { plural, formatMicros } from './webhook_state.js';

const minute = 60e3;

/**
 * Returns one slot per interval of the last hours, oldest first, with empty slots where nothing was
 * tried.
 * @param {{at: string, delivered: number, failed: number,
 *   latencyMean: number|null, latencyMax: number|null}[]} activity
 * @param {number} hours
 */
function slots(activity, hours) {
  const length = (hours <= 6 ? 5 : 60) * minute;
  const known = new Map(activity.map((a) => [Math.floor(Date.parse(a.at) / length), a]));
  const last = Math.max(Math.floor(Date.now() / length), ...known.keys());
  const n = Math.round(hours * 60 * minute / length);
  return Array.from({ length: n }, (_, i) => {
    const at = last - n + 1 + i;
    return known.get(at) ??
      { at: new Date(at * length).toISOString(), delivered: 0, failed: 0, latencyMean: null, latencyMax: null };
  });
}

const sum = (rows, name) => rows.reduce((n, r) => n + r[name], 0);

const summary = (rows) =>
  `${plural(sum(rows, 'delivered'), 'attempt')} delivered, ${sum(rows, 'failed').toLocaleString()} failed`;

/** The last hours in the height of a text line: one bar per slot, with its failed part at the bottom. */
export function Sparkline({ activity, hours }) {
  const rows = slots(activity, hours);
  const most = Math.max(1, ...rows.map((r) => r.delivered + r.failed));
  const bar = (n) => (n === 0 ? 0 : Math.max(2, Math.round((n / most) * 26)));
  return html`<svg class="spark" viewBox=${'0 0 ' + rows.length * 5 + ' 28'} width=${rows.length * 5} height="28"
    role="img" aria-label=${`Last ${hours} hours: ${summary(rows)}.`} data-test="spark">
    ${rows.map((r, i) => {
    const bad = bar(r.failed);
    const good = Math.min(bar(r.delivered), 28 - bad);
    return html`<g key=${r.at}>
        ${bad + good === 0 && html`<rect class="none" x=${i * 5} y="27" width="4" height="1" />`}
        ${good > 0 && html`<rect class="good" x=${i * 5} y=${28 - bad - good} width="4" height=${good} />`}
        ${bad > 0 && html`<rect class="bad" x=${i * 5} y=${28 - bad} width="4" height=${bad} />`}
      </g>`;
  })}</svg>`;
}

/** The chart of an endpoint. Without activity it reserves the space. */
export function ActivityChart({ activity, hours }) {
  const { zone } = useApp();
  const [at, setAt] = useState(null);
  if (!activity) {
    loadPlot();
    return html`<div class="chart"><p class="chart-read"> </p>
      <div class="chart-box compact"></div><div class="chart-box compact"></div></div>`;
  }
  const rows = slots(activity, hours);
  const tried = rows.filter((r) => r.delivered + r.failed > 0);
  const shown = rows[at] ?? rows.at(-1);
  const slowest = Math.max(0, ...rows.map((r) => r.latencyMax ?? 0));
  const outcomes = `${summary(rows)}.`;
  const latency = slowest > 0 ? `The slowest response took ${formatMicros(slowest)}.` : 'Nothing delivered.';
  const of = [JSON.stringify(activity), hours];
  return html`<figure class="chart" data-test="activity">
    <p class="chart-read" aria-hidden="true"><strong>${dateTime(shown.at, zone)}</strong>
      <span class="key good">${shown.delivered.toLocaleString()} delivered</span>
      <span class="key bad">${shown.failed.toLocaleString()} failed</span>
      <span class="key mean">
        ${shown.latencyMean == null ? 'no latency data' : formatMicros(shown.latencyMean) + ' on average'}</span>
      ${shown.latencyMax != null && html`<span class="key max">${formatMicros(shown.latencyMax)} max</span>`}</p>
    <${Plot} compact sync="activity" label=${outcomes} onPoint=${setAt} of=${of}
      data=${[rows.map((_, i) => i), rows.map((r) => r.delivered + r.failed), rows.map((r) => r.failed)]}
      options=${(uPlot, theme) => bars(uPlot, theme, rows, label(hours, zone))} />
    <${Plot} compact sync="activity" label=${latency} onPoint=${setAt} of=${of}
      data=${[rows.map((_, i) => i), rows.map((r) => r.latencyMean), rows.map((r) => r.latencyMax)]}
      options=${(uPlot, theme) => lines(theme, rows, label(hours, zone))} />
    <figcaption class="visually-hidden">${outcomes} ${latency}</figcaption>
    <details class="chart-table"><summary>Show as a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Attempts and latency by time">
      ${tried.length === 0 ? html`<p class="muted">No attempts.</p>` : html`<table class="plain">
        <caption class="visually-hidden">
          Attempts and latency by time, newest first; times at which nothing was tried are left out</caption>
        <thead><tr>
          <th scope="col">From</th><th scope="col" class="end">Delivered</th><th scope="col" class="end">Failed</th>
          <th scope="col" class="end">Mean latency</th><th scope="col" class="end">Maximum latency</th></tr></thead>
        <tbody>${tried.toReversed().map((r) => html`<tr key=${r.at}><th scope="row">${dateTime(r.at, zone)}</th>
          <td class="end">${r.delivered}</td><td class="end">${r.failed}</td>
          <td class="end">${r.latencyMean == null ? 'none' : formatMicros(r.latencyMean)}</td>
          <td class="end">${r.latencyMax == null ? 'none' : formatMicros(r.latencyMax)}</td></tr>`)}</tbody>
      </table>`}</div>
    </details>
  </figure>`;
}

/** Returns the axis label of a slot: the time, or the day if the chart spans weeks. */
const label = (hours, zone) => (at) => (hours <= 24 ? clock(at, zone) : shortDay(at, zone));

const xRange = (low, high) => [low - 0.6, high + 0.6];
const yRange = (n) => (u, low, high) => [0, Math.max(n, (high ?? 0) * 1.1)];
const countSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 1_000_000];

const timeAxis = (axis, rows, name) => ({
  ...axis, grid: { show: false }, size: 30, space: 64, incrs: [1, 2, 3, 4, 6, 12, 24, 48, 72],
  values: (u, at) => at.map((i) => (rows[i] ? name(rows[i].at) : '')),
});

/** All attempts as bars, with the failed ones in front. */
function bars(uPlot, { color, axis, grid }, rows, name) {
  const paths = uPlot.paths.bars({ size: [0.7, 34] });
  const bar = (c) => ({ scale: 'n', fill: color(c), stroke: color(c), width: 0, paths, points: { show: false } });
  return {
    scales: { x: { time: false, range: (u, low, high) => xRange(low, high) }, n: { range: yRange(1) } },
    axes: [timeAxis(axis, rows, name), { ...axis, scale: 'n', grid, size: 64, incrs: countSteps }],
    series: [{}, bar('--chart-good'), bar('--chart-bad')],
  };
}

/** Latencies of deliveries as lines with gaps where there are none. */
function lines({ color, axis, grid }, rows, name) {
  const line = (c, dash) => ({
    scale: 'us', stroke: color(c), width: 2, dash, spanGaps: false,
    points: { show: true, size: rows.length > 100 ? 3 : 5, fill: color(c) },
  });
  return {
    scales: { x: { time: false, range: (u, low, high) => xRange(low, high) }, us: { range: yRange(1000) } },
    axes: [timeAxis(axis, rows, name),
      { ...axis, scale: 'us', grid, size: 64, values: (u, at) => at.map(formatMicros) }],
    series: [{}, line('--chart-mean'), line('--chart-max', [4, 4])],
  };
}
