// The store's account with Stripe: its keys go in and never come out.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { Alert, Badge, Card, Copyable, Facts, Time } from './ui.js';
import { Confirm, Field, FormDialog, text, useMutation } from './form.js';
import { errors } from './selling.js';

/** What is read of the account. */
export const stripeFields = `stripe { connected live secretHint signingHint webhookUrl webhookEvents updatedAt }`;

const answer = `{ paymentSettings { version } ${errors} }`;
const set = `mutation PaymentAccountSet($input: PaymentAccountInput!) { paymentAccountSet(input: $input) ${answer} }`;
const remove = `mutation PaymentAccountRemove($kind: PaymentMethodKind!) {
  paymentAccountRemove(kind: $kind) ${answer} }`;

export function Stripe({ of: a, changed }) {
  const [dialog, open] = useState('');
  const close = () => open('');
  return html`<${Card} title="Stripe" name="stripe">
    ${a.connected
      ? html`<${Facts} rows=${[
          ['Account', a.live ? html`<${Badge} value="LIVE" text="Live: moves money" />`
            : html`<${Badge} value="DRAFT" text="Test: moves no money" />`],
          ['Secret key', html`<span>ends in <code>${a.secretHint}</code></span>`],
          ['Signing secret', html`<span>ends in <code>${a.signingHint}</code></span>`],
          ['Set', html`<${Time} at=${a.updatedAt} />`],
        ]} />`
      : html`<p>With an account at Stripe shoppers pay by card and by what else you switch on there. The money goes to
          your account, and refunds that you make here are paid back from it.</p>`}
    <h3>Webhook</h3>
    <p>Add an endpoint in Stripe's dashboard under Developers, Webhooks, with this address and these events. Its signing
      secret goes in here.</p>
    <p><${Copyable} text=${a.webhookUrl} test="stripe-webhook" /></p>
    <ul>${a.webhookEvents.map((e) => html`<li key=${e}><code>${e}</code></li>`)}</ul>
    <p class="actions under">
      <button type="button" class="button" onClick=${() => open('keys')} data-test="stripe-keys">
        ${a.connected ? 'Change keys' : 'Connect'}</button>
      ${a.connected && html`<button type="button" class="button danger-quiet" onClick=${() => open('remove')}
        data-test="stripe-remove">Remove</button>`}
    </p>
    ${dialog === 'keys' && html`<${Keys} of=${a} onClose=${close} changed=${changed} />`}
    ${dialog === 'remove' && html`<${Remove} onClose=${close} changed=${changed} />`}
  <//>`;
}

function Keys({ of: a, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(set, { once: false });
  const action = async (v) => {
    await run({ input: { kind: 'STRIPE', secretKey: text(v, 'secretKey'), signingSecret: text(v, 'signingSecret') } });
    notify('Stripe connected.');
    changed();
  };
  const kept = a.connected ? 'Leave empty to keep the current one.' : '';
  return html`<${FormDialog} title=${a.connected ? 'Change Stripe keys' : 'Connect Stripe'} name="stripe-keys"
    submit="Save" busyText="Checking with Stripe" onClose=${onClose} action=${action}>
    <${Field} name="secretKey" label="Secret key" optional=${a.connected} type="password" maxlength="200"
      autocomplete="off" hint=${'Starts with sk_, or with rk_ for a restricted key that can write Checkout Sessions ' +
      'and refunds. ' + kept} />
    <${Field} name="signingSecret" label="Signing secret" optional=${a.connected} type="password" maxlength="200"
      autocomplete="off" hint=${'The secret of the webhook. Starts with whsec_. ' + kept} />
    <${Alert} tone="info">We check with Stripe that the key can accept payments in the store's currency. The keys are
      stored encrypted and never shown again. Previous keys are kept for 30 days for payments that used them.<//>
  <//>`;
}

function Remove({ onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(remove);
  const action = async () => {
    await run({ kind: 'STRIPE' });
    notify('Stripe keys removed.');
    changed();
  };
  return html`<${Confirm} title="Remove the Stripe keys?" name="stripe-remove" submit="Remove" onClose=${onClose}
    action=${action}>
    <p>Shoppers must no longer be offered it. For 30 days payments that are under way are still seen, and refunds still
      made through it; then the keys are forgotten. To end that at once, revoke the key at Stripe.</p>
  <//>`;
}
