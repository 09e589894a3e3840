// The global search: pages, actions, recently viewed pages, orders, products and customers.
import { html, useEffect, useId, useRef, useState } from './lib.js';
import { useApp, useQuery, go } from './context.js';
import { Dialog, humanize } from './ui.js';
import { Icon } from './icons.js';
import { money } from './money.js';
import { recent } from './recent.js';
import { to } from './route.js';

const actions = [
  { text: 'New order', path: '/orders/new', needs: 'money' },
  { text: 'New product', path: '/products/new', needs: 'editProducts' },
  { text: 'New customer', path: '/customers/new', needs: 'editCustomers' },
  { text: 'New discount', path: '/discounts?new=1', needs: 'store' },
  { text: 'New collection', path: '/collections/new', needs: 'store' },
  { text: 'New page', path: '/pages/new', needs: 'editPages' },
];
const settings = [
  { text: 'Shipping settings', path: '/settings/shipping', needs: 'store', icon: 'settings' },
  { text: 'Tax settings', path: '/settings/tax', needs: 'store', icon: 'settings' },
  { text: 'Payment settings', path: '/settings/payments', needs: 'store', icon: 'settings' },
  { text: 'Locations', path: '/settings/locations', needs: 'store', icon: 'settings' },
  { text: 'Domains', path: '/settings/domains', needs: 'store', icon: 'settings' },
  { text: 'Custom fields', path: '/settings/custom-fields', needs: 'editProducts', icon: 'settings' },
  { text: 'Security', path: '/security', needs: 'account', icon: 'settings' },
];

/** The search query, with only what the person may read. */
function questionOf(can) {
  return `query Find($query: String!) { search(query: $query) {
    ${can('orders') ? `orders { id number email totalMinor currency status
      ${can('customers') ? 'customer { displayName }' : ''} }` : ''}
    products { id title sku status }
    ${can('customers') ? 'customers { id displayName email }' : ''}
  } }`;
}

function groupsOf(found) {
  return [
    { name: 'Orders', rows: (found?.orders ?? []).map((o) => ({ icon: 'orders', path: '/orders/' + o.id,
      text: '#' + o.number,
      more: [o.customer?.displayName ?? o.email, money(o.totalMinor, o.currency), humanize(o.status)] })) },
    { name: 'Products', rows: (found?.products ?? []).map((p) => ({ icon: 'products', path: '/products/' + p.id,
      text: p.title, more: [p.sku, humanize(p.status)] })) },
    { name: 'Customers', rows: (found?.customers ?? []).map((c) => ({ icon: 'customers', path: '/customers/' + c.id,
      text: c.displayName, more: [c.email] })) },
  ];
}

/** A text without case and accents, for comparison. */
const plain = (text) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** The rows that have a word starting with each of the typed words. */
function matching(rows, typed) {
  const wanted = plain(typed).split(/\s+/).filter(Boolean);
  return rows.filter(({ text }) => {
    const has = plain(text).split(/\s+/);
    return wanted.every((w) => has.some((h) => h.startsWith(w)));
  });
}

/** The value after it has not changed for ms milliseconds. */
function useSettled(value, ms) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/**
 * The dialog. Arrow keys select, Enter opens, Escape closes.
 * @param {{places: {path: string, text: string, icon: string, needs?: string}[], onClose: () => void}} props
 */
export function Palette({ places, onClose }) {
  const app = useApp();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef(null);
  const own = useId();
  const asked = useSettled(typed.trim(), 150);
  const query = useQuery(asked && questionOf(app.can), { query: asked });
  const allowed = (rows) => rows.filter((r) => !r.needs || app.can(r.needs));
  const pages = allowed([...places, ...settings]);
  const groups = (typed.trim() ? [
    ...groupsOf(asked && query.data?.search),
    { name: 'Pages', rows: matching(pages, typed) },
    { name: 'Actions', rows: matching(allowed(actions), typed).map((a) => ({ icon: 'plus', ...a })) },
  ] : [
    { name: 'Recently viewed', rows: recent(app).map((r) => ({ icon: 'note', ...r })) },
    { name: 'Actions', rows: allowed(actions).map((a) => ({ icon: 'plus', ...a })) },
    { name: 'Pages', rows: pages },
  ]).filter((g) => g.rows.length > 0);
  const rows = groups.flatMap((g) => g.rows);
  const at = Math.min(chosen, rows.length - 1);
  const waiting = typed.trim() !== asked || query.loading;
  useEffect(() => setChosen(0), [typed]);
  useEffect(() => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }), [at]);
  const follow = (row) => {
    onClose();
    const [path, query] = row.path.split('?');
    go(to(path, Object.fromEntries(new URLSearchParams(query))));
  };
  const press = (e) => {
    const last = rows.length - 1;
    const next = { ArrowDown: at < last ? at + 1 : 0, ArrowUp: at > 0 ? at - 1 : last }[e.key];
    if (next !== undefined) {
      e.preventDefault();
      setChosen(next);
    } else if (e.key === 'Enter' && !e.isComposing && rows[at]) {
      e.preventDefault();
      follow(rows[at]);
    }
  };
  const option = (row) => {
    const i = rows.indexOf(row);
    return html`<li key=${row.path} role="option" id=${own + '-' + i} aria-selected=${i === at ? 'true' : 'false'}
      onClick=${() => follow(row)} onMouseMove=${() => i !== at && setChosen(i)} data-test="found">
      <${Icon} name=${row.icon} size="18" /><span class="grow"><bdi>${row.text}</bdi></span>
      <span class="muted">${(row.more ?? []).filter(Boolean).map((m) => html` <bdi>${m}</bdi>`)}</span></li>`;
  };
  return html`<${Dialog} title="Search" onClose=${onClose} name="palette">
    <input type="search" role="combobox" autofocus autocomplete="off" spellcheck="false" value=${typed}
      aria-label="Search pages, orders, products and customers" placeholder="Order number, name, title, page …"
      maxlength="200" aria-expanded=${rows.length > 0 ? 'true' : 'false'} aria-controls=${own} aria-autocomplete="list"
      aria-activedescendant=${rows[at] ? own + '-' + at : undefined} onInput=${(e) => setTyped(e.target.value)}
      onKeyDown=${press} data-test="palette-input" />
    <p class="visually-hidden" role="status">${waiting ? '' : rows.length + ' found'}</p>
    ${query.failure && asked && html`<p class="muted">${query.failure.message}</p>`}
    <div class="found" role="listbox" id=${own} aria-label="Found" ref=${list} aria-busy=${waiting ? 'true' : 'false'}>
      ${groups.map((g) => html`<ul key=${g.name} role="group" aria-label=${g.name}>
        <li role="presentation" class="found-kind" aria-hidden="true">${g.name}</li>${g.rows.map(option)}</ul>`)}
    </div>
    ${rows.length === 0 && html`<p class="muted found-none">${waiting ? 'Searching …' : 'No results.'}</p>`}
  <//>`;
}
