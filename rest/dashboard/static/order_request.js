// Requesting a payment of an order, and the link at which the customer pays.
import { html } from './lib.js';
import { useApp, useQuery } from './context.js';
import { Copyable, Money, Pending, Card, Time } from './ui.js';
import { Check, Field, FormDialog, Select, errors, optionalNumber, useMutation } from './form.js';

const request = `mutation RequestPayment($id: ID!, $expectedVersion: Long!, $input: PaymentRequestInput!) {
  orderRequestPayment(id: $id, expectedVersion: $expectedVersion, input: $input) { order { id } ${errors} } }`;
const methods = '{ paymentSettings { methods { kind name active } } }';

export function RequestPayment({ order, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(request);
  const query = useQuery(methods);
  const offered = (query.data?.paymentSettings.methods ?? []).filter((m) => m.active);
  const action = async (v) => {
    await run({ id: order.id, expectedVersion: order.version, input: { method: v.get('method'),
      days: optionalNumber(v, 'days') ?? 14, sendEmail: v.has('sendEmail') } });
    notify('Payment requested.');
    changed();
  };
  return html`<${FormDialog} title="Request payment" name="request-payment" submit="Request payment"
    onClose=${onClose} onStale=${changed} action=${action}>
    <p>The customer can pay <strong><${Money} minor=${order.totalMinor - order.paidMinor} currency=${order.currency}
      /></strong> at a link that only they get.</p>
    ${!query.data ? html`<${Pending} of=${query} rows=${2} />` : html`<${Select} name="method" label="Payment method"
      required options=${offered.map((m) => [m.kind, m.name || m.kind])} value=${order.paymentMethod ?? ''}
      hint="As set up in the payment settings." />`}
    <${Field} name="days" label="Days to pay" value="14" inputmode="numeric"
      hint=${order.paidMinor > 0 ? 'The link stops working after this day.'
        : 'An order of which nothing is paid by then is cancelled.'} />
    ${order.email && html`<${Check} name="sendEmail" label=${'Email the link to ' + order.email} value />`}
  <//>`;
}

/** The link of a requested payment. */
export const PaymentLink = ({ order: o }) => o.payUrl && html`<${Card} title="Payment link" name="payment-link">
  <p><${Copyable} text=${o.payUrl} test="pay-url" /></p>
  ${o.paymentDueAt && html`<p class="muted">Until <${Time} at=${o.paymentDueAt} />, then the order is cancelled.</p>`}
<//>`;
