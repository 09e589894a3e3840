// The tables of a report: their columns, and which amounts the chart shows.
import { html } from './lib.js';
import { money, plain } from './money.js';
import { countryName } from './countries.js';
import { humanize } from './ui.js';
import { dayName } from './dates.js';
import { to } from './route.js';
import { RowLink } from './list.js';

const count = (name, head) => ({ name, head, end: true, value: (r) => r[name], show: (v) => v.toLocaleString() });
const sum = (name, head, of = (r) => r[name]) => ({ name, head, end: true, value: of, minor: true });
const word = (name, head, of = (r) => r[name], link) => ({ name, head, main: name === 'name', value: of, link });

const fileOnly = (column) => ({ ...column, fileOnly: true });

const net = (r) => r.totalMinor - r.refundedMinor;
const rows = 'id name orders quantity grossMinor discountMinor taxMinor totalMinor refundedQuantity refundedMinor';

const stock = 'currency quantity valueMinor costMinor uncostedQuantity';

const goods = (link) => [word('name', 'Name', (r) => r.name, link), count('orders', 'Orders'),
  count('quantity', 'Sold'), sum('grossMinor', 'Gross'), sum('discountMinor', 'Discounts'), sum('totalMinor', 'Total'),
  count('refundedQuantity', 'Returned'), sum('refundedMinor', 'Refunded'), sum('net', 'Net', net)];
const ofOrders = (name) => [word('name', 'Name', name), count('orders', 'Orders'), sum('grossMinor', 'Gross'),
  sum('discountMinor', 'Discounts'), sum('taxMinor', 'Added tax'), sum('totalMinor', 'Total'),
  sum('refundedMinor', 'Refunded'), sum('net', 'Net', net)];

const placeName = (code) => (code ? countryName(code) : 'No address');

/** The text of a tax rate. Amounts without a tax have a reason instead. */
const taxName = (r) => r.name || (r.treatment === 'TAXED' ? 'Tax of imported orders' : humanize(r.treatment));

/** Each table: its field of the result with the members to query, its columns, and the amount in the chart. */
export const tables = {
  DAYS: { text: 'Days', query: 'days { date orders totalMinor refundedMinor }', of: (d) => d.days,
    columns: [word('name', 'Day', (r) => dayName(r.date)), count('orders', 'Orders'), sum('totalMinor', 'Total'),
      sum('refundedMinor', 'Refunded'), sum('net', 'Net', net)] },
  PRODUCTS: { text: 'Products', query: `products { ${rows} }`, of: (d) => d.products,
    columns: goods((r) => r.id && '/products/' + r.id), chart: 'totalMinor' },
  VARIANTS: { text: 'Variants', query: `variants { ${rows} }`, of: (d) => d.variants, columns: goods(),
    chart: 'totalMinor' },
  DISCOUNTS: { text: 'Discounts', query: `discounts { ${rows} }`, of: (d) => d.discounts,
    columns: ofOrders((r) => r.name), chart: 'discountMinor' },
  COUNTRIES: { text: 'Countries', query: `countries { ${rows} }`, of: (d) => d.countries,
    columns: ofOrders((r) => placeName(r.id)), chart: 'totalMinor' },
  TAXES: { text: 'Tax', of: (d) => d.taxes,
    query: `taxes { country region name rate treatment baseMinor taxMinor refundedBaseMinor refundedTaxMinor }`,
    columns: [{ ...word('name', 'Tax', taxName), show: (name, r) => name + (r.rate && ' ' + r.rate + '\u00a0%') },
      { ...word('country', 'Country', (r) => placeName(r.country)),
        show: (name, r) => name + (r.region && ', ' + r.region) },
      fileOnly(word('region', 'Region')), fileOnly(word('rate', 'Percent')),
      fileOnly(word('treatment', 'Kind', (r) => humanize(r.treatment))),
      sum('baseMinor', 'Base'), sum('taxMinor', 'Tax'), sum('refundedBaseMinor', 'Refunded base'),
      sum('refundedTaxMinor', 'Refunded tax'), sum('net', 'Net tax', (r) => r.taxMinor - r.refundedTaxMinor)],
    chart: 'taxMinor' },
  STOCK: { text: 'Stock', query: `stock { id name ${stock} } stockTotals { ${stock} }`, of: (d) => d.stock,
    columns: [word('name', 'Product', (r) => r.name, (r) => r.id && '/products/' + r.id),
      fileOnly(word('currency', 'Currency')), count('quantity', 'Quantity'), sum('valueMinor', 'Value'),
      count('uncostedQuantity', 'Without cost'), sum('costMinor', 'At cost')], chart: 'valueMinor' },
};

/** Columns as lists show them. */
export const shownColumns = (columns, currency) => columns.map((c) => ({ ...c, cell: (r) => {
  const value = c.value(r);
  const shown = c.minor ? (value < 0 ? '\u2212' : '') + money(Math.abs(value), r.currency ?? currency)
    : c.show?.(value, r) ?? value;
  const href = c.link?.(r);
  return href ? html`<${RowLink} href=${to(href)}>${shown}<//>`
    : c.end ? html`<span class="figure">${shown}</span>` : html`<bdi>${shown}</bdi>`;
} }));

/** The cells of a file: amounts as plain decimals. */
export const fileRows = (columns, list, currency) => list.map((r) => columns.map((c) => {
  const value = c.value(r);
  return !c.minor ? value : Number((value < 0 ? '-' : '') + plain(Math.abs(value), r.currency ?? currency));
}));
