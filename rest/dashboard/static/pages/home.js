// Home: how the store is doing.
import { html, useEffect } from '../lib.js';
import { useAll, useApp, useQuery } from '../context.js';
import { Page, Card, Badge, Time, Skeleton, Empty, Pending, humanize } from '../ui.js';
import { Table } from '../list.js';
import { Icon } from '../icons.js';
import { SalesChart } from '../chart.js';
import { loadPlot } from '../plot.js';
import { money } from '../money.js';
import { to } from '../route.js';
import { health, hostOf } from '../webhook_state.js';
import { orderColumns } from '../order_columns.js';
import { Work, useWork } from '../work.js';
import { Setup, setupQuery } from '../setup.js';

const sales = `query Sales { salesReport(days: 30) { currency timezone days { date orders totalMinor } } }`;

const conversion = `query Conversion { conversion { carts checkouts orders } }`;

const latest = `query Latest { orders(first: 6) {
  nodes { id number externalNumber placedAt status financialStatus fulfillmentStatus totalMinor currency email
    customer { displayName } } } }`;

const notices = `query Notices { notifications(first: 5) { nodes { id level title readAt createdAt } } }`;

const events = `query Latest { events(first: 5) { nodes { id type occurredAt } } }`;

/**
 * The page. Each card has its own query, so one that fails or is not allowed leaves the others
 * alone. All start at once. Nothing is drawn before four of them are there: their height is
 * unknown, and what is below would move.
 */
export function Home() {
  const { can, store } = useApp();
  const opening = useQuery(can('store') ? setupQuery : '');
  const tasks = useWork();
  const carts = useQuery(can('sales') ? conversion : '');
  const days = useQuery(can('sales') ? sales : '');
  const orders = useQuery(!can('orders') ? '' : can('customers') ? latest
    : latest.replace('customer { displayName }', ''));
  const news = useQuery(notices);
  const endpoints = useAll(can('webhooks') ? 'webhookEndpoints' : '', 'id url status failingSince pausedUntil');
  const recent = useQuery(can('webhooks') ? events : '');
  useEffect(() => {
    if (can('sales')) {
      loadPlot(); // starts while the data loads
    }
  }, []);
  if ([opening, tasks, carts, endpoints].some((q) => q.loading && !q.data && !q.failure)) {
    return html`<${Page} title="Home" lead=${store.name}><${Skeleton} rows=${6} /><//>`;
  }
  return html`<${Page} title="Home" lead=${store.name}>
    ${can('store') && html`<${Setup} q=${opening} />`}
    <${Work} q=${tasks} endpoints=${endpoints.nodes} />
    ${can('sales') && html`<${Sales} q=${days} /><${Conversion} q=${carts} />`}
    ${can('orders') ? html`<${Latest} q=${orders} />` : can('keys') && html`<${QuickLinks} />`}
    <div class="columns">
      <${Notices} q=${news} />
      ${can('webhooks') && html`<${Webhooks} q=${endpoints} recent=${recent} />`}
    </div>
  <//>`;
}

/** For roles that cannot see orders. */
function QuickLinks() {
  return html`<${Card} title="Quick links"><ul class="link-list">
    <li><a href=${to('/products')}><${Icon} name="products" />Products</a></li>
    <li><a href=${to('/themes')}><${Icon} name="themes" />Themes</a></li>
    <li><a href=${to('/keys')}><${Icon} name="keys" />API keys</a></li>
    <li><a href=${to('/apps')}><${Icon} name="apps" />Apps</a></li>
    <li><a href=${to('/webhooks')}><${Icon} name="webhooks" />Webhooks</a></li>
  </ul><//>`;
}

function Sales({ q }) {
  if (q.failure) {
    return html`<${Card} title="Sales" name="sales"><${Pending} of=${q} /><//>`;
  }
  const report = q.data?.salesReport;
  const days = report?.days ?? [];
  const today = days.at(-1);
  const before = days.at(-2);
  const sum = (f) => days.reduce((n, d) => n + f(d), 0);
  const show = (minor) => money(minor, report.currency);
  const mean = () =>
    (sum((d) => d.orders) / (days.length || 1)).toLocaleString(undefined, { maximumFractionDigits: 1 });
  return html`<div class="tiles" data-test="today">
      <${Tile} name="Orders today" value=${today && String(today.orders)}
        more=${before && before.orders + ' yesterday'} />
      <${Tile} name="Total today" value=${today && show(today.totalMinor)}
        more=${before && show(before.totalMinor) + ' yesterday'} />
      <${Tile} name="Orders in 30 days" value=${report && String(sum((d) => d.orders))}
        more=${report && mean() + ' a day'} />
      <${Tile} name="Total in 30 days" value=${report && show(sum((d) => d.totalMinor))}
        more="Without cancelled orders" />
    </div>
    <${Card} title="Orders and total by day" name="sales"><${SalesChart} report=${report} /><//>`;
}

/** The conversion of carts; nothing without carts. */
function Conversion({ q }) {
  const c = q.data?.conversion;
  if (!c?.carts) {
    return null;
  }
  const part = (n) => (n / c.carts).toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 });
  return html`<section class="tiles" aria-label="Carts" data-test="conversion">
    <${Tile} name="Carts" value=${c.carts.toLocaleString()} more=${c.carts < 1000 ? 'in 30 days' : 'most recent'} />
    <${Tile} name="Reached checkout" value=${part(c.checkouts)} more=${c.checkouts.toLocaleString()} />
    <${Tile} name="Became orders" value=${part(c.orders)} more=${c.orders.toLocaleString()} />
  </section>`;
}

function Tile({ name, value, more }) {
  return html`<div class="tile"><p class="tile-name">${name}</p><p class="tile-value">${value ?? '\u00a0'}</p>
    <p class="muted">${more || '\u00a0'}</p></div>`;
}

function Latest({ q }) {
  return html`<${Card} title="Latest orders" flush name="latest-orders"
    actions=${html`<a class="button small" href=${to('/orders')}>All orders</a>`}>
    ${!q.data ? html`<${Pending} of=${q} rows=${6} />`
      : q.data.orders.nodes.length === 0
        ? html`<${Empty} icon="orders" title="No orders yet">New orders appear here.<//>`
      : html`<${Table} caption="Latest orders" rows=${q.data.orders.nodes}
          columns=${orderColumns().filter((c) => c.name !== 'state')} />`}
  <//>`;
}

function Webhooks({ q, recent }) {
  const pending = [q, recent].find((of) => of.failure) ?? [q, recent].find((of) => !of.data);
  return html`<${Card} title="Webhooks" name="webhook-health"
    actions=${html`<a class="button small" href=${to('/webhooks')}>All endpoints</a>`}>
    ${pending ? html`<${Pending} of=${pending} rows=${4} />`
      : html`<${Health} endpoints=${q.nodes} />
        <div class="card-top after"><h3>Latest events</h3>
          <a class="button small" href=${to('/events')}>All events</a></div>
        <${Recent} events=${recent.data.events.nodes} />`}
  <//>`;
}

function Health({ endpoints }) {
  if (endpoints.length === 0) {
    return html`<p class="muted">No webhook endpoints yet. <a href=${to('/webhooks')}>Add one</a> to receive
      these events.</p>`;
  }
  const states = ['ACTIVE', 'FAILING', 'PAUSED', 'SUSPENDED', 'DISABLED'];
  const counted = states.map((s) => [s, endpoints.filter((e) => health(e) === s).length]);
  const worst = endpoints.filter((e) => health(e) === 'FAILING')
    .toSorted((a, b) => Date.parse(a.failingSince) - Date.parse(b.failingSince))[0];
  const shown = counted.filter(([s, n]) => n > 0 || s === 'ACTIVE');
  return html`<ul class="counts" data-test="health">${shown.map(([s, n]) => html`<li key=${s}>
      <${Badge} value=${s} text=${n + ' ' + humanize(s).toLowerCase()} /></li>`)}</ul>
    ${worst && html`<p class="oldest">
      Failing longest: <a href=${to('/webhooks/' + worst.id)}><bdi class="url">${hostOf(worst.url)}</bdi></a>,
      first <${Time} at=${worst.failingSince} how="ago" /></p>`}`;
}

function Recent({ events }) {
  return events.length === 0
    ? html`<p class="muted" data-test="recent-events">
        No events yet. Changes to orders, products and customers appear here.</p>`
    : html`<ul class="notices" data-test="recent-events">${events.map((e) => html`<li key=${e.id}>
        <code class="strong">${e.type}</code>
        <p class="muted"><${Time} at=${e.occurredAt} how="ago" /></p></li>`)}</ul>`;
}

function Notices({ q }) {
  const unread = q.data?.notifications.nodes.filter((n) => !n.readAt) ?? [];
  return html`<${Card} title="Notifications" name="notices"
    actions=${html`<a class="button small" href=${to('/notifications')}>All</a>`}>
    ${!q.data ? html`<${Pending} of=${q} rows=${3} />`
      : unread.length === 0 ? html`<${Empty} icon="bell" title="No new notifications">All notifications are read.<//>`
      : html`<ul class="notices">${unread.map((n) => html`<li key=${n.id}><${Badge} value=${n.level} />
          <div><p><bdi>${n.title}</bdi></p>
            <p class="muted"><${Time} at=${n.createdAt} how="ago" /></p></div></li>`)}</ul>`}
  <//>`;
}

