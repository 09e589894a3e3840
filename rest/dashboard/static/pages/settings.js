// The store's settings. What is about the person alone is on the page Security.
import { html } from '../lib.js';
import { useApp } from '../context.js';
import { Page, Card, Facts, words } from '../ui.js';
import { Amount, Check, Form, Field, Select, amount, text, useMutation } from '../form.js';
import { roleNames } from '../role.js';
import { Stores, Zone } from '../stores.js';
import { TestStore } from '../test_store.js';
import { to } from '../route.js';

const errors = 'userErrors { code message path }';
const update = `mutation StoreUpdate($input: StoreUpdateInput!) {
  storeUpdate(input: $input) { store { id } ${errors} } }`;
const require = `mutation StoreRequireSecondFactor($expectedVersion: Long!, $required: Boolean!) {
  storeRequireSecondFactor(expectedVersion: $expectedVersion, required: $required) { store { id } ${errors} } }`;
const refunds = `mutation StoreSetRefundProof($expectedVersion: Long!, $aboveMinor: Long) {
  storeSetRefundProof(expectedVersion: $expectedVersion, aboveMinor: $aboveMinor) { store { id } ${errors} } }`;
const orderEmails = `mutation StaffSetOrderEmails($enabled: Boolean!) {
  staffSetOrderEmails(enabled: $enabled) { staff { id } ${errors} } }`;

const languages = [['EN', 'English'], ['DE', 'Deutsch'], ['FR', 'Français'], ['ES', 'Español'], ['JA', '日本語'],
  ['AR', 'العربية']];

export function Settings() {
  const { account, store, can } = useApp();
  return html`<${Page} title="Settings">
    <div class="columns">
      <${Card} title="Store" name="store-settings">${can('store') ? html`<${StoreForm} />`
          : html`<${Facts} rows=${[['Name', store.name], ['Time zone', store.timezone]]} />`}
        <${Facts} rows=${[
          ['Currency', store.currency], ['Address', store.storeHost], ['Status', words(store.status)],
          ['Id', html`<code class="id">${store.id}</code>`],
        ]} /><//>
      <div class="stack">
        <${Card} title="You" name="account">
          <${Facts} rows=${[['Name', account.name], ['Role here', roleNames[account.role] ?? account.role]]} />
          ${account.orderEmails != null && can('orders') && html`<${OrderEmails} />`}
          <form method="post" action="/sign-out"><button type="submit" class="button">Sign out</button></form>
        <//>
        <${Stores} />
        ${store.test && can('store') && html`<${TestStore} />`}
      </div>
      ${can('store') && html`<${Card} title="Selling" name="selling"><ul class="doors">
        <li><a class="grow" href=${to('/settings/shipping')}>Shipping</a></li>
        <li><a class="grow" href=${to('/settings/tax')}>Tax</a></li>
        <li><a class="grow" href=${to('/settings/payments')}>Payments</a></li>
        <li><a class="grow" href=${to('/discounts')}>Discounts</a></li></ul><//>`}
      ${can('owners') && html`<${Card} title="Second factors" name="require-factor"><${Requirement} /><//>`}
      ${can('owners') && html`<${Card} title="Refunds" name="refund-proof"><${RefundProof} /><//>`}
    </div>
  <//>`;
}

/** Whether the person gets emails about new orders. */
function OrderEmails() {
  const { account, notify, refresh } = useApp();
  const run = useMutation(orderEmails);
  const action = async (v) => {
    const enabled = v.get('orderEmails') === 'on';
    await run({ enabled });
    notify(enabled ? 'You get emails about new orders.' : 'You get no emails about new orders.');
    refresh();
  };
  return html`<${Form} name="order-emails" submit="Save" action=${action}>
    <${Check} name="orderEmails" label="Email me about new orders" value=${account.orderEmails}
      hint="At most ten an hour, then one that there are more." /><//>`;
}

function StoreForm() {
  const { store, notify, refresh } = useApp();
  const run = useMutation(update);
  const action = async (v) => {
    const timezone = (v.get('timezone') ?? '').trim();
    await run({ input: { expectedVersion: store.version, name: v.get('name'), timezone,
      language: v.get('language'), contactEmail: text(v, 'contactEmail') } });
    notify('The store is saved.');
    refresh();
  };
  return html`<${Form} name="store" submit="Save" action=${action} onStale=${refresh}>
    <${Field} key=${'n' + store.version} name="name" label="Name" value=${store.name} required maxlength="255" />
    <${Field} key=${'c' + store.version} name="contactEmail" label="Contact address" optional type="email"
      value=${store.contactEmail ?? ''} maxlength="254" hint="Answers to shoppers’ emails go here." />
    <${Zone} key=${'z' + store.version} value=${store.timezone} />
    <${Select} key=${'l' + store.version} name="language" label="Language of the shop" value=${store.language}
      options=${languages} hint="What the shop itself says, and what browsers and search engines are told." />
  <//>`;
}

/** Whether the people of the store need a second factor. */
function Requirement() {
  const { store, notify, refresh } = useApp();
  const run = useMutation(require);
  const action = async (v) => {
    const required = v.get('required') === 'on';
    await run({ expectedVersion: store.version, required });
    notify(required ? 'Everybody needs a second factor now.' : 'Nobody needs a second factor any more.');
    refresh();
  };
  return html`<${Form} name="require-factor" submit="Save" action=${action} onStale=${refresh}>
    <${Check} key=${store.version} name="required" label="Require a second factor of everybody in this store"
      value=${store.secondFactor} hint="Who has none sees nothing of the store until they have set one up." />
    <p class="muted">Set one up for yourself first, on the page <a href="/dashboard/security">Security</a>. Staff tokens
      and API keys work on without.</p>
  <//>`;
}

/** From which sum on a refund needs a proof of who makes it. */
function RefundProof() {
  const { store, notify, refresh } = useApp();
  const run = useMutation(refunds);
  const action = async (v) => {
    const aboveMinor = text(v, 'above') && amount(v, 'above', store.currency);
    await run({ expectedVersion: store.version, aboveMinor });
    notify(aboveMinor == null ? 'Refunds need no proof any more.' : 'Larger refunds need a proof now.');
    refresh();
  };
  return html`<${Form} name="refund-proof" submit="Save" action=${action} onStale=${refresh}>
    <${Amount} key=${store.version} name="above" label="Ask who it is above" optional minor=${store.refundProofMinor}
      currency=${store.currency} hint="Leave it empty, and no refund asks." />
    <p class="muted">Who refunds more than this of one order proves first that it is them, if they have not within the
      last ten minutes.</p>
  <//>`;
}
