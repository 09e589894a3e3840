// The dashboard's entry: routes, the frame around pages, and the start.
import { html, render, useEffect, useRef, useState, useErrorBoundary } from './lib.js';
import { AppContext, useAddress, useApp } from './context.js';
import { messageOf, send, usePersonID, useStoreID } from './api.js';
import { match, root } from './route.js';
import { allows, roleNames } from './role.js';
import { Page, Empty, LoadError, Alert, Button, follow, keepFocus, markMoved } from './ui.js';
import { Icon } from './icons.js';
import { Proof } from './proof.js';
import { SignIn, announceSignIn } from './sign_in.js';
import { Unverified } from './address.js';
import { LeaveDialog } from './unsaved.js';
import { SetupLink } from './setup_link.js';
import { keepClickTarget } from './click_target.js';
import { useKeys } from './keys.js';

/** Returns the loader of a page: the export name of a file. */
const from = (file, name) => () => import('./pages/' + file + '.js').then((m) => m[name]);

const sections = [
  { path: '', text: 'Home', icon: 'home', page: () => import('./pages/home.js').then((m) => m.Home) },
  { path: '/orders', text: 'Orders', icon: 'orders', needs: 'orders', page: from('orders', 'Orders') },
  { path: '/returns', text: 'Returns', icon: 'undo', needs: 'orders', page: from('returns', 'Returns') },
  { path: '/invoices', text: 'Invoices', icon: 'print', needs: 'orders', page: from('invoices', 'Invoices') },
  { path: '/products', text: 'Products', icon: 'products', needs: 'products', page: from('products', 'Products') },
  { path: '/collections', text: 'Collections', icon: 'collections', needs: 'store',
    page: from('collections', 'Collections') },
  { path: '/customers', text: 'Customers', icon: 'customers', needs: 'customers',
    page: from('customers', 'Customers') },
  { path: '/discounts', text: 'Discounts', icon: 'discounts', needs: 'store', page: from('discounts', 'Discounts') },
  { path: '/reports', text: 'Reports', icon: 'reports', needs: 'sales', page: from('reports', 'Reports') },
  { path: '/imports', text: 'Imports', icon: 'imports', needs: 'imports', page: from('imports', 'Imports') },
  { path: '/exports', text: 'Exports', icon: 'exports', needs: 'exports', page: from('exports', 'Exports') },
  { path: '/themes', text: 'Themes', icon: 'themes', needs: 'themes', page: from('themes', 'Themes') },
  { path: '/pages', text: 'Pages', icon: 'note', needs: 'pages', page: from('pages', 'Pages') },
  { path: '/media', text: 'Media', icon: 'image', needs: 'pages', page: from('media', 'Media') },
  { path: '/navigation', text: 'Navigation', icon: 'menu', needs: 'pages', page: from('navigation', 'Navigation') },
  { path: '/marketplace', text: 'Marketplace', icon: 'marketplace', needs: 'marketplace',
    page: from('marketplace', 'Marketplace') },
  { path: '/keys', text: 'API keys', icon: 'keys', needs: 'keys', page: from('keys', 'Keys') },
  { path: '/apps', text: 'Apps', icon: 'apps', needs: 'apps', page: from('apps', 'Apps') },
  { path: '/webhooks', text: 'Webhooks', icon: 'webhooks', needs: 'webhooks', page: from('webhooks', 'Webhooks') },
  { path: '/events', text: 'Events', icon: 'events', needs: 'events', page: from('events', 'Events') },
  { path: '/requests', text: 'Requests', icon: 'requests', needs: 'requests', page: from('requests', 'Requests') },
  { path: '/staff', text: 'Staff', icon: 'staff', needs: 'staff', page: from('staff', 'Staff') },
  { path: '/audit', text: 'Audit log', icon: 'audit', needs: 'audit', page: from('audit', 'Audit') },
  { path: '/notifications', text: 'Notifications', icon: 'bell', needs: 'notifications',
    page: from('notifications', 'Notifications') },
  { path: '/settings', text: 'Settings', icon: 'settings', needs: 'account', page: from('settings', 'Settings') },
];

/** The page of the person's own account. The sidebar links it next to their name. */
const security = { path: '/security', needs: 'account', page: from('security', 'Security') };

const routes = [
  ...sections.map((p) => [p.path, p]),
  [security.path, security],
  ['/signed-in', { page: from('signed_in', 'SignedIn'), below: '' }],
  ['/orders/new', { page: from('order_new', 'OrderNew'), needs: 'money', below: '/orders' }],
  ['/orders/print', { page: from('order_print', 'OrderPrint'), needs: 'orders', below: '/orders' }],
  ['/orders/:id/edit', { page: from('order_edit', 'OrderEdit'), needs: 'money', below: '/orders' }],
  ['/orders/:id/items', { page: from('order_items', 'OrderItems'), needs: 'money', below: '/orders' }],
  ['/customers/new', { page: from('customer_edit', 'CustomerNew'), needs: 'editCustomers', below: '/customers' }],
  ['/customers/:id/edit', { page: from('customer_edit', 'CustomerEdit'), needs: 'editCustomers', below: '/customers' }],
  ['/orders/:id', { page: from('order', 'Order'), needs: 'orders', below: '/orders' }],
  ['/products/new', { page: from('product', 'ProductNew'), needs: 'editProducts', below: '/products' }],
  ['/products/:id', { page: from('product', 'ProductEdit'), needs: 'products', below: '/products' }],
  ['/collections/new', { page: from('collections', 'CollectionNew'), needs: 'store', below: '/collections' }],
  ['/collections/:id', { page: from('collections', 'CollectionEdit'), needs: 'store', below: '/collections' }],
  ['/settings/shipping', { path: '/settings/shipping', needs: 'store', below: '/settings',
    page: from('shipping', 'Shipping') }],
  ['/settings/storefront', { path: '/settings/storefront', needs: 'store', below: '/settings',
    page: from('storefront', 'Storefront') }],
  ['/settings/tax', { path: '/settings/tax', needs: 'store', below: '/settings', page: from('tax', 'Tax') }],
  ['/settings/emails', { path: '/settings/emails', needs: 'store', below: '/settings',
    page: from('emails', 'Emails') }],
  ['/notifications/settings', { needs: 'notifications', below: '/notifications', page: from('alerts', 'Alerts') }],
  ['/settings/invoices', { path: '/settings/invoices', needs: 'store', below: '/settings',
    page: from('invoice_settings', 'InvoiceSettings') }],
  ['/settings/payments', { path: '/settings/payments', needs: 'store', below: '/settings',
    page: from('payments', 'Payments') }],
  ['/settings/domains', { path: '/settings/domains', needs: 'store', below: '/settings',
    page: from('domains', 'Domains') }],
  ['/settings/locations', { path: '/settings/locations', needs: 'store', below: '/settings',
    page: from('locations', 'Locations') }],
  ['/settings/custom-fields', { path: '/settings/custom-fields', needs: 'editProducts', below: '/settings',
    page: from('custom_fields', 'CustomFieldSettings') }],
  ['/webhooks/:id', { page: from('webhook', 'Webhook'), needs: 'webhooks', below: '/webhooks' }],
  ['/webhooks/:id/deliveries/:delivery', { page: from('delivery', 'Delivery'), needs: 'webhooks', below: '/webhooks' }],
  ['/events/:id', { page: from('event', 'Event'), needs: 'events', below: '/events' }],
  ['/requests/:id', { page: from('request', 'Request'), needs: 'requests', below: '/requests' }],
  ['/imports/new', { page: from('import_new', 'ImportNew'), needs: 'imports', below: '/imports' }],
  ['/imports/:id', { page: from('import', 'Import'), needs: 'imports', below: '/imports' }],
  ['/exports/:id', { page: from('export', 'Export'), needs: 'exports', below: '/exports' }],
  ['/themes/:id', { page: from('theme', 'Theme'), needs: 'themes', below: '/themes' }],
  ['/themes/:id/settings', { page: from('theme_settings', 'ThemeSettings'), needs: 'themes', below: '/themes' }],
  ['/pages/new', { page: from('page', 'PageNew'), needs: 'editPages', below: '/pages' }],
  ['/pages/:id', { page: from('page', 'PageEdit'), needs: 'pages', below: '/pages' }],
  ['/customers/:id', { page: from('customer', 'Customer'), needs: 'customers', below: '/customers' }],
];

// Pages are loaded when they are first shown. The first one loads while the account is queried.
const loadedPages = new Map();
const fetchPage = async (place) => loadedPages.set(place, await place.page());
const firstPage = match(routes, location.pathname)?.page;
if (firstPage) {
  fetchPage(firstPage).catch(() => {});
}

const storeFields = 'id name handle currency timezone language storeHost status test version secondFactor ' +
  'refundProofMinor contactEmail lowStock stockEvents shopperCancels remindHours logo favicon ' +
  'announcement { text link enabled from until } pause { message until } passwordProtected ' +
  'returns { requests withdrawal days countries { country days } instructions excludedTags }';
const start = `query Start {
  account { id name email verified mailPossible role savedViews { list name query }
    memberships { role store { id name handle test status } } }
  store { ${storeFields} }
  unreadNotifications
}`;
const lockedStart = `query Bare { account { id name email role memberships { role store { ${storeFields} } } } }`;

/** The store that this tab shows. A new tab starts with the last one used. */
const currentStore = {
  get: () => sessionStorage.getItem('store') ?? localStorage.getItem('store') ?? '',
  set: (id) => {
    sessionStorage.setItem('store', id);
    localStorage.setItem('store', id);
  },
  clear: () => {
    sessionStorage.removeItem('store');
    localStorage.removeItem('store');
  },
};

async function loadStart() {
  const id = currentStore.get();
  useStoreID(id);
  try {
    return await queryStart();
  } catch (failure) {
    if (!id || failure.code !== 'not_found') {
      throw failure;
    }
    currentStore.clear(); // a store that they left or that was closed
    useStoreID('');
    return queryStart('');
  }
}

/** Queries what the frame shows. If the store requires a second factor, only enough to set one up. */
async function queryStart(id = currentStore.get()) {
  try {
    return (await send(start)).data;
  } catch (failure) {
    if (failure.code !== 'second_factor_required') {
      throw failure;
    }
    const { account } = (await send(lockedStart)).data;
    const { store } = account.memberships.find((m) => m.store.id === id) ?? account.memberships[0];
    return { account, store, unreadNotifications: 0, locked: true };
  }
}

function Main() {
  const [state, setState] = useState({ data: null, failure: null });
  const load = () => loadStart().then((data) => {
    useStoreID(data.store.id);
    usePersonID(data.account.id);
    announceSignIn();
    sessionStorage.setItem('store', data.store.id);
    setState({ data, failure: null });
  }, (failure) => setState({ data: null, failure }));
  useEffect(() => {
    load();
  }, []);
  if (state.failure) {
    return html`<div class="frame"><header class="side"><${Brand} /></header>
      <main class="content"><div class="page"><h1>The dashboard cannot start</h1>
        <${LoadError} failure=${state.failure} reload=${load} /></div></main></div>`;
  }
  if (!state.data) { // same as in shell.html
    return html`<div class="frame"><header class="side"><${Brand} /></header>
      <main class="content"><div class="page"><div class="skeleton heading"></div>
        <p class="waiting">Loading the dashboard</p></div></main></div>`;
  }
  return html`<${Frame} data=${state.data} refresh=${load} />`;
}

function Frame({ data, refresh }) {
  const { account, store } = data;
  const [toast, setToast] = useState(null);
  const [unread, setUnread] = useState(data.unreadNotifications);
  const [searching, setSearching] = useState(false);
  const [helping, setHelping] = useState(false);
  const timer = useRef(0);
  useKeys({ '?': !data.locked && (() => setHelping(true)) });
  useEffect(() => setUnread(data.unreadNotifications), [data]);
  useEffect(() => {
    const press = (e) => {
      const wanted = (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && e.key.toLowerCase() === 'k';
      if (wanted && !data.locked && !document.querySelector('dialog[open]')) {
        e.preventDefault();
        setSearching(true);
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [data]);
  const app = {
    account, store, locked: data.locked, zone: store.timezone, refresh, unread, setUnread,
    can: (what) => allows(account.role, what),
    notify: (text, tone = 'good', undo = null) => {
      clearTimeout(timer.current);
      setToast({ text, tone, undo });
      if (tone === 'good') {
        timer.current = setTimeout(() => setToast(null), undo ? 15000 : 6000);
      }
    },
    choose: (id) => {
      currentStore.set(id);
      location.assign(root);
    },
  };
  return html`<${AppContext.Provider} value=${app}>
    <a class="skip" href="#main">Skip to the content</a>
    <div class="frame">
      <${Sidebar} find=${() => setSearching(true)} />
      <main class="content" id="main" tabindex="-1">
        ${store.test && html`<div class="banner printed" data-test="test-store"><${Alert} tone="info">
          <p>This is a test store: nothing in it is real. ${app.can('store') &&
            html`<a href=${root + '/settings'}>Add sample data or reset</a>`}</p><//></div>`}
        <${Unverified} /><${SetupLink} /><${CurrentPage} /><${GuideLink} help=${() => setHelping(true)} /></main>
    </div>
    ${searching && html`<${LazyDialog} load=${loadPalette} places=${sections} onClose=${() => setSearching(false)} />`}
    ${helping && html`<${LazyDialog} load=${loadKeysDialog} onClose=${() => setHelping(false)} />`}
    <${Proof} /><${SignIn} /><${LeaveDialog} />
    <div class="notes">
      <div role="status" aria-live="polite">${toast?.tone === 'good' && html`<p class="note good" data-test="toast">
        <${Icon} name="check" />${toast.text}
        ${toast.undo && html`<${Undo} run=${toast.undo} notify=${app.notify} />`}</p>`}</div>
      <div role="alert">${toast?.tone === 'bad' && html`<p class="note bad" data-test="toast">
        <${Icon} name="alert" />${toast.text}
        <button type="button" class="icon-button" aria-label="Dismiss" onClick=${() => setToast(null)}>
          <${Icon} name="close" size="16" /></button></p>`}</div>
    </div>
  <//>`;
}

const loadPalette = () => import('./palette.js').then((m) => m.Palette);
const loadKeysDialog = () => import('./keys_dialog.js').then((m) => m.KeysDialog);

/** A dialog that is loaded when it is first opened. */
function LazyDialog({ load, onClose, ...props }) {
  const { notify } = useApp();
  const [Opened, setOpened] = useState(null);
  useEffect(() => {
    load().then((dialog) => setOpened(() => dialog), () => {
      notify('The dialog did not load. Reload the page.', 'bad');
      onClose();
    });
  }, []);
  return Opened && html`<${Opened} onClose=${onClose} ...${props} />`;
}

const guides = '/docs/guides/';

// Guides of developer pages; other pages have a section of the dashboard guide.
const taskGuides = { '/imports': 'imports', '/exports': 'exports',
  '/themes': 'themes', '/keys': 'first-call', '/apps': 'oauth',
  '/webhooks': 'webhooks' };

/** Returns the guide of a page or of its parent. */
function guideOf({ path, below }) {
  const at = path ?? below;
  const name = sections.find((p) => p.path === at)?.text ?? at.split('/').at(-1);
  return guides + (taskGuides[at] ?? 'dashboard#' + name.toLowerCase().replaceAll(' ', '-'));
}

function GuideLink({ help }) {
  const { path } = useAddress();
  const found = match(routes, path);
  return found && html`<p class="guide"><a href=${guideOf(found.page)} target="_blank" rel="noreferrer"
    data-test="guide">Guide to this page<span class="visually-hidden"> (opens a new tab)</span></a>
    <button type="button" class="plain-button" onClick=${help} data-test="keys">Keyboard shortcuts</button></p>`;
}

/** Reverts the change that the toast reports. */
function Undo({ run, notify }) {
  const press = async () => {
    keepFocus();
    notify('Undoing\u2026');
    try {
      await run();
      notify('Change undone.');
    } catch (err) {
      notify('Could not undo the change: ' + messageOf(err), 'bad');
    }
  };
  return html`<${Button} kind="small" icon="undo" act=${press} test="undo">Undo<//>`;
}

function CurrentPage() {
  const { path } = useAddress();
  const { can, locked } = useApp();
  const first = useRef(path);
  if (path !== first.current) {
    markMoved();
  }
  if (locked) { // all other pages are closed
    return html`<${LazyPage} key=${security.path} place=${security} />`;
  }
  const found = match(routes, path);
  if (!found) {
    return html`<${Page} key=${path} title="Not found">
      <${Empty} title="This page does not exist."><a class="button" href=${root}>Go home</a><//><//>`;
  }
  const { page: place, params } = found;
  if (place.needs && !can(place.needs)) {
    return html`<${Page} key=${path} title="No access"><${Alert} tone="info">
      Your role does not have access to this page. Ask an owner or admin to change it.<//><//>`;
  }
  return html`<${LazyPage} key=${path} place=${place} params=${params} />`;
}

/** Loads a page, and keeps the frame usable if the page fails. */
function LazyPage({ place, params }) {
  const [failure, reset] = useErrorBoundary((e) => console.error(e));
  const [state, setState] = useState(loadedPages.has(place) ? 'loaded' : 'loading');
  useEffect(() => {
    if (state === 'loading') {
      fetchPage(place).then(() => setState('loaded'), () => setState('failed'));
    }
  }, [state]);
  if (failure) {
    return html`<${Page} title="Page error"><${Alert}>
      Something went wrong in the dashboard. <${Button} kind="small" act=${reset}>Try again<//><//><//>`;
  }
  if (state === 'failed') { // offline, or the files are of a version that is no longer served
    return html`<${Page} title="Page not loaded"><${Alert}>
      This page did not load. The dashboard may have been upgraded. <${Button} kind="small"
        act=${() => location.reload()}>Reload<//><//><//>`;
  }
  const page = loadedPages.get(place);
  return page ? html`<${page} ...${params} />` : html`<div class="page"><div class="skeleton heading"></div></div>`;
}

function Brand() {
  return html`<div class="brand"><span class="mark"></span><span>Storefront</span></div>`;
}

/** The navigation: next to the content, or above it on a phone. */
function Sidebar({ find }) {
  const { account, store, can, choose, unread, locked } = useApp();
  const { path } = useAddress();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  const found = match(routes, path);
  const current = found && (found.page.below ?? found.page.path);
  return html`<header class="side">
    <div class="side-top">
      <${Brand} />
      ${!locked && html`<button type="button" class="icon-button find" aria-label="Search" title="Search (Ctrl K)"
        aria-keyshortcuts="Control+K Meta+K" onClick=${find} data-test="find"><${Icon} name="search" /></button>`}
      <button type="button" class="icon-button menu" aria-expanded=${open ? 'true' : 'false'} aria-controls="nav"
        aria-label="Menu" onClick=${() => setOpen(!open)} data-test="menu">
        <${Icon} name=${open ? 'close' : 'menu'} /></button>
    </div>
    <div id="nav"
      class=${open ? 'side-body open' : 'side-body'} onKeyDown=${(e) => e.key === 'Escape' && setOpen(false)}>
      ${account.memberships.length > 1
        ? html`<label class="store-choice"><span class="visually-hidden">Store</span>
            <select data-test="store-choice" onChange=${(e) => choose(e.target.value)}>
              ${account.memberships.map((m) => html`<option key=${m.store.id} value=${m.store.id}
                selected=${m.store.id === store.id}>${m.store.name + (m.store.test ? ' (test)' : '') +
                  (m.store.status === 'CLOSED' ? ' (closed)' : '')}</option>`)}
            </select></label>`
        : html`<p class="store-name"><bdi>${store.name}</bdi></p>`}
      <nav aria-label="Dashboard"><ul>
        ${sections.filter((p) => !locked && (!p.needs || can(p.needs))).map((p) => html`<li key=${p.path}>
          <a href=${root + p.path} aria-current=${current === p.path ? 'page' : undefined}>
            <${Icon} name=${p.icon} /><span>${p.text}</span>
            ${p.path === '/notifications' && unread > 0 && html`<span class="count" data-test="unread">
              ${unread >= 100 ? '99+' : unread}<span class="visually-hidden"> unread</span></span>`}
          </a></li>`)}
      </ul></nav>
      <div class="me">
        <p class="me-name"><bdi>${account.name}</bdi></p><p class="muted">${roleNames[account.role] ?? account.role}</p>
        <a class="me-link" href=${root + security.path} data-test="security"
          aria-current=${current === security.path ? 'page' : undefined}>Security</a>
        <form method="post" action="/sign-out">
          <button type="submit" class="button small" data-test="sign-out">
            <${Icon} name="out" size="16" />Sign out</button></form>
      </div>
    </div>
  </header>`;
}

keepClickTarget();
document.addEventListener('click', follow);
// A page restored from the back-forward cache may belong to a person who has signed out since.
addEventListener('pageshow', (e) => e.persisted && location.reload());

const app = document.getElementById('app');
app.replaceChildren();
render(html`<${Main} />`, app);
