// Closing a store and opening it again.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { Button, Card } from './ui.js';
import { ConfirmMutation, errors } from './form.js';
import { to } from './route.js';

const change = (name) => `mutation StoreStatus($expectedVersion: Long!) {
  ${name}(expectedVersion: $expectedVersion) { store { id } ${errors} } }`;

/** Closes the store, or opens it again. Only owners see it. */
export function StoreStatus() {
  const { store } = useApp();
  const [asked, setAsked] = useState(false);
  const closed = store.status === 'CLOSED';
  return html`<${Card} title=${closed ? 'This store is closed' : 'Close the store'} name="store-status">
    <p class="muted">${closed ? 'Its shop, API keys, apps and staff tokens do not work. Only owners see this dashboard.'
      : html`For a holiday, <a href=${to('/settings/storefront')}>pause selling</a> instead.`}</p>
    <${Button} kind=${closed ? 'primary' : 'danger'} act=${() => setAsked(true)}
      test=${closed ? 'store-reopen' : 'store-close'}>${closed ? 'Reopen store' : 'Close store'}<//>
    ${asked && html`<${Ask} closed=${closed} onClose=${() => setAsked(false)} />`}<//>`;
}

function Ask({ closed, onClose }) {
  const { store, refresh } = useApp();
  const ask = { variables: { expectedVersion: store.version }, changed: refresh, onClose };
  return closed ? html`<${ConfirmMutation} title="Reopen the store?" name="store-reopen" submit="Reopen store"
      danger=${false} document=${change('storeReopen')} done="Store reopened." ...${ask}>
      <p>The shop opens within seconds. Staff, API keys, apps and tokens work again as before, unless they expired or
        were revoked. Revoke those that you no longer need first.</p><//>`
    : html`<${ConfirmMutation} title="Close the store?" name="store-close" submit="Close store"
      document=${change('storeClose')} done="Store closed." ...${ask}>
      <p>The shop, API keys, apps and staff tokens stop working within seconds, and only owners can open this dashboard.
        Shoppers still see their orders. Webhooks keep reporting what you do here.</p>
      <p>Nothing is deleted. You can reopen the store here.</p><//>`;
}
