// The first run: what a new store still needs.
import { html, useEffect, useState } from './lib.js';
import { useApp } from './context.js';
import { Button, Card } from './ui.js';
import { Icon } from './icons.js';
import { storefront } from './theme_state.js';
import { markSetup } from './setup_link.js';
import { to } from './route.js';

export const setupQuery = `query Setup { products(first: 10, filter: {status: ACTIVE}) { nodes {
    id imageUrl images { id } } }
  shippingZones { rates { id } } taxSettings { version } paymentSettings { version kinds methods { kind active } }
  pages(first: 100) { nodes { kind status } pageInfo { hasNextPage } } themes(first: 2) { nodes { id } }
  orders(first: 1) { nodes { id } } }`;

const legalKinds = ['IMPRINT', 'PRIVACY', 'TERMS'];

/** What is done, from the answer to the query. */
export function stateOf({ products, shippingZones, taxSettings, paymentSettings, pages, themes, orders }) {
  const legal = pages.nodes.filter((p) => legalKinds.includes(p.kind));
  return {
    product: products.nodes.length > 0,
    picture: products.nodes.some((p) => p.imageUrl || p.images.length > 0),
    shipping: shippingZones.some((z) => z.rates.length > 0),
    tax: taxSettings.version > 0,
    payment: paymentSettings.methods.some((m) => m.active),
    legal: pages.pageInfo.hasNextPage || ['PRIVACY', 'TERMS'].every((kind) => legal.some((p) => p.kind === kind)) &&
      legal.every((p) => p.status === 'PUBLISHED'),
    drafts: pages.pageInfo.hasNextPage || legal.length > 0,
    theme: themes.nodes.length > 1,
    order: orders.nodes.length > 0,
  };
}

/** The checklist. It stays until everything is done, or until the person dismisses it in this browser. */
export function Setup({ q }) {
  const { store, notify } = useApp();
  const key = 'setup:' + store.id;
  const [dismissed, dismiss] = useState(() => localStorage.getItem(key) !== null);
  const [Quick, setQuick] = useState(null);
  useEffect(() => markSetup(''), []);
  if (!q.data || dismissed) {
    return null;
  }
  const done = stateOf(q.data);
  const first = q.data.products.nodes[0];
  const steps = [
    [done.product, 'Publish a product', done.product ? '/products' : '/products/new'],
    [done.picture, 'Add a picture to it', first ? '/products/' + first.id : '/products'],
    [done.shipping, 'Set up shipping', '/settings/shipping'],
    [done.tax, 'Set your taxes', '/settings/tax'],
    [done.payment, 'Choose how shoppers pay', '/settings/payments'],
    [done.legal, 'Complete and publish your privacy policy, terms and imprint', '/pages'],
    [done.theme, 'Choose a theme', '/themes'],
    [store.status === 'OPEN' && !store.passwordProtected && !store.pause, 'Open your shop', '/settings/storefront'],
  ];
  const left = [...steps.map(([is]) => is), done.order].filter((is) => !is).length;
  if (left === 0) {
    return null;
  }
  const openQuick = () => import('./quick_setup.js').then((m) => setQuick(() => m.QuickSetup),
    () => notify('The form did not load. Reload the page.', 'bad'));
  const close = () => {
    localStorage.setItem(key, '1');
    dismiss(true);
  };
  const quick = !done.shipping || !done.tax || !done.payment || !done.drafts;
  return html`<${Card} title="Set up your shop" name="opening"
    actions=${html`<${Button} kind="small" act=${close} test="opening-dismiss">Dismiss<//>`}>
    <p>${steps.length + 1 - left} of ${steps.length + 1} steps are done. Your shop is at
      ${' '}<strong class="url">${store.storeHost}</strong>.</p>
    ${quick && html`<p><${Button} kind="primary" act=${openQuick} test="quick-setup">Quick setup<//>
      <span class="muted"> Shipping, taxes, payment and drafts of the legal pages in one step.</span></p>`}
    <ul class="link-list">${steps.map(([is, called, path]) => html`<li key=${called}>
      <a class="grow" href=${to(path)} onClick=${() => markSetup(store.id)}><${Done} is=${is} />${called}</a></li>`)}
      <li><a class="grow" href=${storefront(store)} target="_blank" rel="noopener" data-test="opening-visit"><${Done}
        is=${done.order} />Place a test order in your shop
        <${Icon} name="open" size="16" /><span class="visually-hidden"> (opens a new tab)</span></a></li></ul>
    ${Quick && html`<${Quick} onClose=${() => setQuick(null)} changed=${q.reload} />`}
  <//>`;
}

const Done = ({ is }) => is && html`<${Icon} name="check" /><span class="visually-hidden">Done: </span>`;
