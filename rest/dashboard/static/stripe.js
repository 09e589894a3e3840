// The store's Stripe account. Its keys can be set but never read.
import { html, useState } from './lib.js';
import { Alert, Badge, Card, Copyable, Facts, Time, Button } from './ui.js';
import { Field, FormDialog, ConfirmMutation, text, useAction, errors } from './form.js';

export const stripeFields = `stripe { connected live secretHint signingHint webhookUrl webhookEvents updatedAt }`;

const answer = `{ paymentSettings { version } ${errors} }`;
const set = `mutation PaymentAccountSet($input: PaymentAccountInput!) { paymentAccountSet(input: $input) ${answer} }`;
const remove = `mutation PaymentAccountRemove($kind: PaymentMethodKind!) {
  paymentAccountRemove(kind: $kind) ${answer} }`;

export function Stripe({ of: a, changed }) {
  const [dialog, setDialog] = useState('');
  const close = () => setDialog('');
  return html`<${Card} title="Stripe" name="stripe">
    ${a.connected
      ? html`<${Facts} rows=${[
          ['Account', a.live ? html`<${Badge} value="LIVE" text="Live: moves money" />`
            : html`<${Badge} value="DRAFT" text="Test: moves no money" />`],
          ['Secret key', html`<span>ends in <code>${a.secretHint}</code></span>`],
          ['Signing secret', html`<span>ends in <code>${a.signingHint}</code></span>`],
          ['Changed', html`<${Time} at=${a.updatedAt} />`],
        ]} />`
      : html`<p>Connect Stripe to accept cards and other payment methods that you enable there. Payments go to your
          Stripe account, and refunds that you make here are paid from it.</p>`}
    <h3>Webhook</h3>
    <p>In Stripe's dashboard, under Developers and Webhooks, add an endpoint with this URL and these events. Then enter
      its signing secret here.</p>
    <p><${Copyable} text=${a.webhookUrl} test="stripe-webhook" /></p>
    <ul>${a.webhookEvents.map((e) => html`<li key=${e}><code>${e}</code></li>`)}</ul>
    <p class="actions under">
      <${Button} act=${() => setDialog('keys')} test="stripe-keys">${a.connected ? 'Change keys' : 'Connect'}<//>
      ${a.connected && html`<${Button} kind="danger-quiet" act=${() => setDialog('remove')}
        test="stripe-remove">Remove<//>`}
    </p>
    ${dialog === 'keys' && html`<${Keys} of=${a} onClose=${close} changed=${changed} />`}
    ${dialog === 'remove' && html`<${Remove} onClose=${close} changed=${changed} />`}
  <//>`;
}

function Keys({ of: a, onClose, changed }) {
  const action = useAction(set, (v) => ({
    input: { kind: 'STRIPE', secretKey: text(v, 'secretKey'), signingSecret: text(v, 'signingSecret') },
  }), 'Stripe connected.', changed, { once: false });
  const keepHint = a.connected ? 'Leave empty to keep the current one.' : '';
  return html`<${FormDialog} title=${a.connected ? 'Change Stripe keys' : 'Connect Stripe'} name="stripe-keys"
    submit="Save" busyText="Checking with Stripe" onClose=${onClose} action=${action}>
    <${Field} name="secretKey" label="Secret key" optional=${a.connected} type="password" maxlength="200"
      autocomplete="off" hint=${'Starts with sk_, or with rk_ for a restricted key that can write Checkout Sessions ' +
      'and refunds. ' + keepHint} />
    <${Field} name="signingSecret" label="Signing secret" optional=${a.connected} type="password" maxlength="200"
      autocomplete="off" hint=${'The secret of the webhook. Starts with whsec_. ' + keepHint} />
    <${Alert} tone="info">We check with Stripe that the key can accept payments in the store's currency. The keys are
      stored encrypted and never shown again. Previous keys are kept for 30 days for payments that used them.<//>
  <//>`;
}

function Remove({ onClose, changed }) {
  return html`<${ConfirmMutation} title="Remove the Stripe keys?" name="stripe-remove" submit="Remove"
    document=${remove} variables=${{ kind: 'STRIPE' }} done="Stripe keys removed." changed=${changed}
    onClose=${onClose}>
    <p>Turn off online payment first. Payments in progress are still tracked and refunds still work for 30 days. Then
      the keys are deleted. To stop them immediately, revoke the key at Stripe.</p>
  <//>`;
}
