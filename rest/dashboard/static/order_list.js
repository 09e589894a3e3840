// The table of the list of orders: one line for each order, moved through by keyboard.
import { html, useEffect } from './lib.js';
import { useApp } from './context.js';
import { Badge, Money } from './ui.js';
import { RowLink } from './list.js';
import { countryName } from './countries.js';
import { clock, dateOf, dayOf, exactTime, shortDay } from './dates.js';
import { useKeys } from './keys.js';
import { keepWalk, lastVisited } from './order_walk.js';
import { to } from './route.js';

/** The time of an order, short: the time of today, the day of this year, or the date. */
function Placed({ at }) {
  const { zone } = useApp();
  const [day, today] = [dayOf(at, zone), dayOf(Date.now(), zone)];
  const text = day === today ? clock(at, zone) : day.slice(0, 4) === today.slice(0, 4) ? shortDay(at, zone)
    : dateOf(at, zone);
  return html`<time datetime=${at} title=${exactTime(at, zone)}>${text}</time>`;
}

const Clipped = ({ text, kind = 'clip' }) => html`<bdi class=${kind} title=${text}>${text}</bdi>`;

const pieces = (o) => o.lineItems.reduce((n, l) => n + l.quantity, 0);

/** The columns of the list. Those with a fold move below the number where the table is narrow. */
export const listColumns = () => [
  { name: 'number', head: 'Order', main: true, cell: (o) => html`<${RowLink}
    href=${to('/orders/' + o.id)}>#${o.number}<//>${o.externalNumber && html` <${Clipped} kind="clip muted"
    text=${o.externalNumber} />`}` },
  { name: 'date', head: 'Placed', fold: 2, cell: (o) => html`<${Placed} at=${o.placedAt} />` },
  { name: 'customer', head: 'Customer', fold: 1,
    cell: (o) => html`<${Clipped} text=${o.customer?.displayName ?? o.email ?? 'No customer'} />` },
  { name: 'total', head: 'Total', end: true,
    cell: (o) => html`<${Money} minor=${o.totalMinor} currency=${o.currency} />` },
  { name: 'money', head: 'Payment', cell: (o) => html`<${Badge} value=${o.financialStatus}
    calm=${o.status === 'CANCELLED'} />` },
  { name: 'goods', head: 'Shipping',
    cell: (o) => html`<${Badge} value=${o.status === 'CANCELLED' ? 'CANCELLED' : o.fulfillmentStatus} />` },
  { name: 'items', head: 'Items', end: true, fold: 2, labeled: true, cell: (o) => pieces(o).toLocaleString() },
  { name: 'tags', head: 'Tags', fold: 1, cell: (o) => o.tags.length > 0 &&
    html`<${Clipped} kind="clip tag-line" text=${o.tags.join(', ')} />` },
  { name: 'country', head: 'Country', fold: 1, cell: (o) => o.shippingAddress?.country &&
    html`<abbr title=${countryName(o.shippingAddress.country)}>${o.shippingAddress.country}</abbr>` },
];

/**
 * The shortcuts of the list in box: j and k move through its rows, as the arrow keys do from a row;
 * x selects, and Enter opens the order by its link. fulfill opens the dialog for selected orders.
 */
export function useListKeys(box, nodes, selection, fulfill) {
  const { store } = useApp();
  const ids = (nodes ?? []).map((o) => o.id);
  useEffect(() => {
    nodes && keepWalk(store, ids, location.pathname + location.search);
  }, [ids.join(), location.search]);
  const rows = () => [...box.current.querySelectorAll('tbody tr')];
  const here = () => rows().findIndex((r) => r.contains(document.activeElement));
  const step = (by) => {
    const all = rows();
    const at = here();
    const first = Math.max(0, all.findIndex((r) => r.dataset.id === lastVisited(store)));
    all[at < 0 ? first : Math.min(Math.max(at + by, 0), all.length - 1)]?.querySelector('.row-link').focus();
  };
  const stepFromRow = (by) => here() >= 0 && step(by);
  const select = () => {
    const id = rows()[here()]?.dataset.id;
    return id && selection ? selection.toggle([id], !selection.has(id)) : false;
  };
  const toActions = () => {
    const first = box.current.querySelector('.bulk button');
    first?.focus();
    return Boolean(first);
  };
  useKeys({
    j: () => step(1), k: () => step(-1), ArrowDown: () => stepFromRow(1), ArrowUp: () => stepFromRow(-1), x: select,
    f: () => (fulfill && selection.rows.length > 0 ? fulfill() : false),
    b: toActions,
  });
}
