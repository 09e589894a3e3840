// The chart on Home: totals as bars, orders as a line, and both in a table for screen readers.
import { html, useState } from './lib.js';
import { Plot } from './plot.js';
import { money, compactMoney } from './money.js';
import { dayLabel, dayName } from './dates.js';

/** @param {{report: {currency: string, days: {date: string, orders: number, totalMinor: number}[]}|undefined}} props */
export function SalesChart({ report }) {
  const [at, setAt] = useState(null);
  if (!report) {
    return html`<div class="chart"><p class="chart-read"> </p><div class="chart-box"></div></div>`;
  }
  const { days, currency } = report;
  const best = days.reduce((a, b) => (b.totalMinor > a.totalMinor ? b : a), days[0]);
  const orders = days.reduce((n, d) => n + d.orders, 0);
  const total = days.reduce((n, d) => n + d.totalMinor, 0);
  const day = days[at] ?? days.at(-1);
  const label = `${orders} orders with a total of ${money(total, currency)} in ${days.length} days. ` +
    `The best day was ${dayName(best.date)} with ${money(best.totalMinor, currency)}.`;
  return html`<figure class="chart">
    <p class="chart-read" aria-hidden="true"><strong>${dayName(day.date)}</strong>
      <span class="key total">${money(day.totalMinor, currency)}</span>
      <span class="key orders">${day.orders} ${day.orders === 1 ? 'order' : 'orders'}</span></p>
    <${Plot} label=${label} data=${series(days)} of=${[days, currency]} onPoint=${setAt}
      options=${(uPlot, theme) => options(uPlot, theme, days, currency)} />
    <figcaption class="visually-hidden">${label}</figcaption>
    <details class="chart-table"><summary>Show as a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Orders and total by day">
      <table class="plain"><caption class="visually-hidden">Orders and total by day</caption>
        <thead><tr>
          <th scope="col">Day</th><th scope="col" class="end">Orders</th><th scope="col" class="end">Total</th>
        </tr></thead>
        <tbody>${days.toReversed().map((d) => html`<tr key=${d.date}><th scope="row">${dayName(d.date)}</th>
          <td class="end">${d.orders}</td><td class="end">${money(d.totalMinor, currency)}</td></tr>`)}</tbody>
      </table></div>
    </details>
  </figure>`;
}

const series = (days) => [days.map((_, i) => i), days.map((d) => d.totalMinor), days.map((d) => d.orders)];

function options(uPlot, { color, axis, grid }, days, currency) {
  const upTo = (u, low, high) => [0, Math.max(1, high * 1.1)];
  return {
    scales: {
      x: { time: false, range: (u, low, high) => [low - 0.6, high + 0.6] },
      total: { range: upTo }, orders: { range: upTo },
    },
    axes: [
      {
        ...axis, grid: { show: false }, size: 30, space: 64, incrs: [1, 2, 5, 7, 10],
        values: (u, at) => at.map((i) => (days[i] ? dayLabel(days[i].date) : '')),
      },
      {
        ...axis, scale: 'total', grid, size: 64,
        values: (u, at) => at.map((v) => compactMoney(v, currency)),
      },
      {
        ...axis, scale: 'orders', side: 1, size: 36, grid: { show: false },
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000, 50000],
      },
    ],
    series: [
      {},
      {
        scale: 'total', fill: color('--chart-total'), stroke: color('--chart-total'), width: 0,
        paths: uPlot.paths.bars({ size: [0.62, 34], radius: 0.2 }), points: { show: false },
      },
      { scale: 'orders', stroke: color('--chart-orders'), width: 2, points: { show: false } },
    ],
  };
}
