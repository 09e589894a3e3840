// Payment methods.
import { html } from '../lib.js';
import { useQuery } from '../context.js';
import { Page, Card, Pending } from '../ui.js';
import { Area, Check, Field, Form, useAction, errors } from '../form.js';
import { settings } from '../selling.js';
import { Stripe, stripeFields } from '../stripe.js';

const read = `{ paymentSettings { version kinds methods { kind name instructions active } ${stripeFields} } }`;
const update = `mutation PaymentSettingsUpdate($expectedVersion: Long!, $input: PaymentSettingsInput!) {
  paymentSettingsUpdate(expectedVersion: $expectedVersion, input: $input) { paymentSettings { version } ${errors} } }`;

const kinds = [
  ['BANK_TRANSFER', 'Bank transfer',
    'For example, the account number and the payment deadline. Shoppers see it after they order.'],
  ['CASH_ON_DELIVERY', 'Cash on delivery', 'For example, ask shoppers to have the exact amount ready.'],
  ['STRIPE', 'Online payment', 'Shoppers see it with their order.'],
  ['TEST', 'Test payment', 'For testing. No money is moved: shoppers choose the result of the payment.'],
];

export function Payments() {
  const query = useQuery(read);
  const now = query.data?.paymentSettings;
  const offered = kinds.filter(([kind]) => now?.kinds.includes(kind) && (kind !== 'STRIPE' || now.stripe.connected));
  const action = useAction(update, (v) => {
    // Methods that are unavailable, such as Stripe without keys, keep their name and instructions.
    const others = now.methods.filter((m) => now.kinds.includes(m.kind) && !offered.some(([kind]) => kind === m.kind))
      .map((m) => ({ ...m, active: false }));
    return { expectedVersion: now.version, input: { methods: [...offered.map(([kind, title], i) => ({
      kind, active: v.get('methods.' + i + '.active') === 'on',
      name: (v.get('methods.' + i + '.name') ?? '').trim() || title,
      instructions: (v.get('methods.' + i + '.instructions') ?? '').trim(),
    })), ...others] } };
  }, 'Payment methods saved.', query.reload);
  return html`<${Page} title="Payments" back=${settings}
    lead="Mark orders as paid when you receive a transfer or cash. Shoppers have 30 minutes to pay online; then the
      order is cancelled.">
    <${Card} title="Payment methods" name="payments">
      ${!now ? html`<${Pending} of=${query} rows=${4} />`
        : html`<${Form} name="payments" submit="Save" action=${action} onStale=${query.reload} key=${now.version}>
            ${offered.map(([kind, title, hint], i) => html`<${Method} key=${kind} at=${'methods.' + i} title=${title}
              hint=${hint} of=${now.methods.find((m) => m.kind === kind)} />`)}
          <//>`}
    <//>
    ${now && html`<${Stripe} of=${now.stripe} changed=${query.reload} />`}
  <//>`;
}

function Method({ at, title, hint, of }) {
  return html`<fieldset class="rows"><legend>${title}</legend>
    <${Check} name=${at + '.active'} label=${'Offer ' + title.toLowerCase()} value=${of?.active ?? false} />
    <${Field} name=${at + '.name'} label="Name" value=${of?.name ?? title} maxlength="64" autocomplete="off"
      hint="Shoppers see this name at checkout." />
    <${Area} name=${at + '.instructions'} label="Instructions" optional value=${of?.instructions} maxlength="5000"
      hint=${hint} />
  </fieldset>`;
}
