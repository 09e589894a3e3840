// Settings of the store. Settings of the account are on the Security page.
import { html } from '../lib.js';
import { useApp } from '../context.js';
import { Page, Card, Facts, humanize } from '../ui.js';
import { Amount, Check, Form, Field, text, useAction, errors, optionalAmount, optionalNumber } from '../form.js';
import { LanguageSelect } from '../countries.js';
import { roleNames } from '../role.js';
import { Stores, Zone } from '../stores.js';
import { StoreStatus } from '../store_status.js';
import { TestStore } from '../test_store.js';
import { to } from '../route.js';

const update = `mutation StoreUpdate($input: StoreUpdateInput!) {
  storeUpdate(input: $input) { store { id } ${errors} } }`;
const require = `mutation StoreRequireSecondFactor($expectedVersion: Long!, $required: Boolean!) {
  storeRequireSecondFactor(expectedVersion: $expectedVersion, required: $required) { store { id } ${errors} } }`;
const refunds = `mutation StoreSetRefundProof($expectedVersion: Long!, $aboveMinor: Long) {
  storeSetRefundProof(expectedVersion: $expectedVersion, aboveMinor: $aboveMinor) { store { id } ${errors} } }`;

export function Settings() {
  const { account, store, can } = useApp();
  return html`<${Page} title="Settings">
    <div class="columns">
      <${Card} title="Store" name="store-settings">${can('store') ? html`<${StoreForm} />`
          : html`<${Facts} rows=${[['Name', store.name], ['Time zone', store.timezone]]} />`}
        <${Facts} rows=${[
          ['Currency', store.currency], ['Address', store.storeHost], ['Status', humanize(store.status)],
          ['ID', html`<code class="id">${store.id}</code>`],
        ]} /><//>
      <div class="stack">
        <${Card} title="You" name="account">
          <${Facts} rows=${[['Name', account.name], ['Role', roleNames[account.role] ?? account.role]]} />
          <p><a href=${to('/notifications/settings')}>Choose notifications</a></p>
          <form method="post" action="/sign-out"><button type="submit" class="button">Sign out</button></form>
        <//>
        <${Stores} />
        ${store.test && can('store') && html`<${TestStore} />`}
      </div>
      ${can('store') && html`<${Card} title="Selling" name="selling"><ul class="link-list">
        <li><a class="grow" href=${to('/settings/storefront')}>Storefront</a></li>
        <li><a class="grow" href=${to('/settings/shipping')}>Shipping</a></li>
        <li><a class="grow" href=${to('/settings/locations')}>Locations</a></li>
        <li><a class="grow" href=${to('/settings/tax')}>Tax</a></li>
        <li><a class="grow" href=${to('/settings/invoices')}>Invoices</a></li>
        <li><a class="grow" href=${to('/settings/payments')}>Payments</a></li>
        <li><a class="grow" href=${to('/settings/emails')}>Emails to shoppers</a></li>
        <li><a class="grow" href=${to('/settings/domains')}>Domains</a></li>
        <li><a class="grow" href=${to('/discounts')}>Discounts</a></li></ul><//>`}
      ${can('editProducts') && html`<${Card} title="Data" name="data"><ul class="link-list">
        <li><a class="grow" href=${to('/settings/custom-fields')}>Custom fields</a></li></ul><//>`}
      ${can('owners') && html`<${Card} title="Second factors" name="require-factor"><${Requirement} /><//>`}
      ${can('owners') && html`<${Card} title="Refunds" name="refund-proof"><${RefundProof} /><//>`}
      ${can('owners') && html`<${StoreStatus} />`}
    </div>
  <//>`;
}

function StoreForm() {
  const { store, refresh } = useApp();
  const action = useAction(update, (v) => ({ input: { expectedVersion: store.version, name: v.get('name'),
    timezone: (v.get('timezone') ?? '').trim(), language: v.get('language'), contactEmail: text(v, 'contactEmail'),
    lowStock: optionalNumber(v, 'lowStock'), shopperCancels: v.get('shopperCancels') === 'on',
    stockEvents: v.get('stockEvents') === 'on' } }),
  'Store saved.', refresh);
  return html`<${Form} name="store" submit="Save" action=${action} onStale=${refresh}>
    <${Field} key=${'n' + store.name} name="name" label="Name" value=${store.name} required maxlength="255" />
    <${Field} key=${'c' + store.contactEmail} name="contactEmail" label="Contact email" optional type="email"
      value=${store.contactEmail ?? ''} maxlength="254"
      hint="Shown in your shop and in emails. Replies of shoppers go here." />
    <${Field} key=${'s' + store.lowStock} name="lowStock" label="Low stock" optional inputmode="numeric"
      value=${store.lowStock ?? ''} hint="Staff are notified when the stock of an item falls to this number." />
    <${Check} key=${'e' + store.stockEvents} name="stockEvents" label="Events for changes of stock"
      value=${store.stockEvents} hint="Programs get inventory.changed. On once a webhook endpoint subscribes to it." />
    <${Check} key=${'o' + store.shopperCancels} name="shopperCancels" label="Shoppers may cancel their orders"
      value=${store.shopperCancels} hint="On the page of the order, while nothing was shipped and no return is open." />
    <${Zone} key=${'z' + store.timezone} value=${store.timezone} />
    <${LanguageSelect} key=${'l' + store.language} name="language" label="Shop language" value=${store.language}
      hint="Used for the shop’s own texts and reported to browsers and search engines." />
  <//>`;
}

function Requirement() {
  const { store, refresh } = useApp();
  const action = useAction(require, (v) => ({ expectedVersion: store.version, required: v.get('required') === 'on' }),
    ({ required }) => (required ? 'Second factor required.' : 'Second factor no longer required.'), refresh);
  return html`<${Form} name="require-factor" submit="Save" action=${action} onStale=${refresh}>
    <${Check} key=${store.secondFactor} name="required" label="Require a second factor for all staff of this store"
      value=${store.secondFactor} hint="Staff without one have no access to the store until they set one up." />
    <p class="muted">Set one up for yourself first on the page <a href="/dashboard/security">Security</a>. Staff tokens
      and API keys keep working without one.</p>
  <//>`;
}

function RefundProof() {
  const { store, refresh } = useApp();
  const action = useAction(refunds,
    (v) => ({ expectedVersion: store.version, aboveMinor: optionalAmount(v, 'above', store.currency) }),
    ({ aboveMinor }) => (aboveMinor == null ? 'Refunds no longer need confirmation.'
      : 'Larger refunds now need confirmation.'), refresh);
  return html`<${Form} name="refund-proof" submit="Save" action=${action} onStale=${refresh}>
    <${Amount} key=${store.refundProofMinor} name="above" label="Confirm refunds above" optional
      minor=${store.refundProofMinor}
      currency=${store.currency} hint="Leave empty to never ask." />
    <p class="muted">Staff who refund more than this on one order must confirm their identity, unless they did so within
      the last ten minutes.</p>
  <//>`;
}
