// Actions on an order. Each is a dialog with one form and one mutation.
import { html, useEffect, useRef, useState } from '../lib.js';
import { send, Failure } from '../api.js';
import { useApp } from '../context.js';
import { useCached } from '../countries.js';
import {
  FormDialog, Form, Field, Area, Select, Check, Amount, FieldError, amount, text, transition, useAction, useMutation,
} from '../form.js';
import { LocationField, Restock } from '../stock_places.js';
import { Money, Alert } from '../ui.js';
import { unfulfilled, emailNames } from '../order_state.js';

const answer = '{ order { id version } userErrors { code message path } }';

const documents = {
  markPaid: `mutation MarkPaid($id: ID!, $expectedVersion: Long!, $method: String, $reference: String) {
    orderMarkPaid(id: $id, expectedVersion: $expectedVersion, method: $method, reference: $reference) ${answer} }`,
  recordPayment: `mutation RecordPayment($id: ID!, $expectedVersion: Long!, $input: PaymentInput!) {
    orderRecordPayment(id: $id, expectedVersion: $expectedVersion, input: $input) ${answer} }`,
  fulfill: `mutation Fulfill($id: ID!, $expectedVersion: Long!, $input: FulfillInput!) {
    orderFulfill(id: $id, expectedVersion: $expectedVersion, input: $input) ${answer} }`,
  refund: `mutation Refund($id: ID!, $expectedVersion: Long!, $input: RefundInput!) {
    orderRefund(id: $id, expectedVersion: $expectedVersion, input: $input) ${answer} }`,
  cancel: `mutation Cancel($id: ID!, $expectedVersion: Long!, $refund: Boolean!, $reason: String) {
    orderCancel(id: $id, expectedVersion: $expectedVersion, refund: $refund, reason: $reason) ${answer} }`,
  resend: `mutation OrderEmailResend($id: ID!, $email: OrderEmail!) {
    orderEmailResend(id: $id, email: $email) ${answer} }`,
  complete: transition('orderComplete', 'order { id version }'),
  note: `mutation Note($id: ID!, $input: OrderNoteInput!) {
    orderNoteAppend(orderId: $id, input: $input) { note { id } order { version } userErrors { code message path } } }`,
};

/** Runs a mutation on the version of the order that was read, then reads it again. */
function useChange(name, order, changed) {
  const { notify } = useApp();
  const run = useMutation(documents[name]);
  return async (variables, done) => {
    await run({ id: order.id, expectedVersion: order.version, ...variables });
    notify(done);
    changed();
  };
}

export function MarkPaid({ order, onClose, changed }) {
  const change = useChange('markPaid', order, changed);
  return html`<${FormDialog} title="Mark as paid" name="mark-paid" submit="Mark as paid"
    onClose=${onClose} onStale=${changed}
    action=${(v) => change({ method: text(v, 'method'), reference: text(v, 'reference') }, 'Order marked as paid.')}>
    <p>This records a payment of <strong><${Money} minor=${order.totalMinor - order.paidMinor}
      currency=${order.currency} /></strong>, the full outstanding amount.</p>
    <${Field} name="method" label="Method" optional hint="For example, bank transfer or cash." maxlength="64" />
    <${Field} name="reference" label="Reference" optional maxlength="255"
      hint="For example, the number of the bank transaction." />
  <//>`;
}

export function RecordPayment({ order, onClose, changed }) {
  const change = useChange('recordPayment', order, changed);
  const action = (v) => {
    const amountMinor = amount(v, 'amountMinor', order.currency);
    const input = { amountMinor, method: text(v, 'method'), reference: text(v, 'reference') };
    return change({ input }, 'Payment recorded.');
  };
  return html`<${FormDialog} title="Record a payment" name="record-payment" submit="Record payment"
    onClose=${onClose} onStale=${changed} action=${action}>
    <p>Outstanding: <strong><${Money} minor=${order.totalMinor - order.paidMinor}
      currency=${order.currency} /></strong></p>
    <${Amount} name="amountMinor" label="Amount" currency=${order.currency} />
    <${Field} name="method" label="Method" optional maxlength="64" />
    <${Field} name="reference" label="Reference" optional maxlength="255" />
  <//>`;
}

/** The entered quantities by line, without zeros. */
function quantities(values, order, most) {
  const lines = [];
  for (const l of order.lineItems) {
    const typed = (values.get('line-' + l.id) ?? '').trim();
    if (typed === '' || Number(typed) === 0) {
      continue;
    }
    if (!/^\d{1,9}$/.test(typed) || Number(typed) > most(l)) {
      throw new FieldError('line-' + l.id, 'Choose a number from 0 to ' + most(l) + '.');
    }
    lines.push({ lineItemId: l.id, quantity: Number(typed) });
  }
  return lines;
}

function LineFields({ order, most, full }) {
  return html`<fieldset class="quantities"><legend>Quantities</legend>
    ${order.lineItems.filter((l) => most(l) > 0).map((l) => html`<${Field} key=${l.id} name=${'line-' + l.id}
      label=${l.title} type="number" min="0" max=${most(l)} step="1" inputmode="numeric"
      value=${full ? String(most(l)) : '0'} hint=${'Up to ' + most(l)} />`)}
  </fieldset>`;
}

export function Fulfill({ order, onClose, changed }) {
  const change = useChange('fulfill', order, changed);
  const action = (v) => {
    const lines = quantities(v, order, unfulfilled);
    if (lines.length === 0) {
      const first = order.lineItems.find((l) => unfulfilled(l) > 0);
      throw new FieldError('line-' + first?.id, 'Choose at least one item to fulfill.');
    }
    const input = {
      lines, carrier: text(v, 'carrier'), trackingNumber: text(v, 'trackingNumber'),
      trackingUrl: text(v, 'trackingUrl'), location: text(v, 'location'),
    };
    return change({ input }, 'Items fulfilled.');
  };
  return html`<${FormDialog} title="Fulfill items" name="fulfill" submit="Fulfill"
    onClose=${onClose} onStale=${changed} action=${action}>
    ${order.totalMinor > order.paidMinor && html`<${Alert} tone="info">
      This order is not paid in full. You can still fulfill it.<//>`}
    <${LineFields} order=${order} most=${unfulfilled} full />
    <${LocationField} label="Ships from" />
    <${Field} name="carrier" label="Carrier" optional maxlength="255" />
    <${Field} name="trackingNumber" label="Tracking number" optional maxlength="255" />
    <${Field} name="trackingUrl" label="Tracking URL" optional type="url" hint="Starts with https://"
      maxlength="2048" />
  <//>`;
}

const refundQuery = `query Worth($id: ID!, $lines: [LineQuantityInput!]!) {
  order(id: $id) { refundPreviewMinor(lines: $lines) } }`;

/** Sets the amount to the value of the chosen quantities, which the server calculates. */
function useRefundAmount(order, most) {
  const [minor, setMinor] = useState(null);
  const turn = useRef(0);
  const choose = async (e) => {
    const { form, name } = e.target;
    if (!name.startsWith('line-')) {
      return;
    }
    const mine = ++turn.current;
    let lines;
    try {
      lines = quantities(new FormData(form), order, most);
      if (lines.length === 0) {
        return;
      }
      const { data } = await send(refundQuery, { id: order.id, lines });
      if (mine === turn.current) {
        setMinor(data.order.refundPreviewMinor);
      }
    } catch (err) {
      if (!(err instanceof FieldError || err instanceof Failure)) {
        throw err; // invalid quantities are reported on submit
      }
    }
  };
  useEffect(() => () => {
    turn.current++;
  }, []);
  return { minor, choose };
}

export function Refund({ order, onClose, changed }) {
  const change = useChange('refund', order, changed);
  const most = (l) => l.quantity - l.refundedQuantity;
  const [withLines, setWithLines] = useState(false);
  const filled = useRefundAmount(order, most);
  const action = (v) => {
    const lines = withLines ? quantities(v, order, most) : [];
    const input = {
      amountMinor: amount(v, 'amountMinor', order.currency), reason: text(v, 'reason'),
      restock: withLines && v.has('restock'), location: text(v, 'location'),
    };
    if (lines.length > 0) {
      input.lines = lines;
    } else if (input.restock) {
      throw new FieldError('restock', 'Choose which items to restock.');
    }
    return change({ input }, 'Refund recorded.');
  };
  return html`<${FormDialog} title="Refund" name="refund" submit="Refund" danger
    onClose=${onClose} onStale=${changed} action=${action}>
    <p>You can refund up to <strong><${Money} minor=${order.paidMinor - order.refundedMinor}
      currency=${order.currency} /></strong>.
      ${order.paymentMethod === 'STRIPE' ? 'Stripe payments are refunded through Stripe.'
        : 'This only records the refund. Return the money yourself.'}</p>
    <${Amount} key=${'of' + filled.minor} name="amountMinor" label="Amount" currency=${order.currency}
      minor=${filled.minor} />
    <${Field} name="reason" label="Reason" optional maxlength="255" />
    <${Check} name="choose" label="Refund specific items" value=${false}
      onChange=${(e) => setWithLines(e.target.checked)} />
    ${withLines && html`<div onInput=${filled.choose}><${LineFields} order=${order} most=${most} />
        <p class="hint">The amount is calculated from the quantities. You can change it.</p></div>
      ${order.status !== 'CANCELLED' && html`<${Restock} label="Restock these items" />`}`}
  <//>`;
}

export function Cancel({ order, onClose, changed }) {
  const change = useChange('cancel', order, changed);
  const taken = order.paidMinor - order.refundedMinor;
  return html`<${FormDialog} title=${'Cancel order #' + order.number + '?'} name="cancel" submit="Cancel order"
    busyText="Cancelling" cancelText="Keep order" danger onClose=${onClose} onStale=${changed}
    action=${(v) => change(
      { refund: v.get('refund') === 'yes', reason: text(v, 'reason') }, 'Order cancelled.')}>
    <p>The order is cancelled and its items are restocked. This cannot be undone.</p>
    ${taken > 0 && html`<${Select} name="refund" label="Payments received" value="yes"
        options=${[['yes', 'Refund in full'], ['no', 'Do not refund now']]}
        hint="You can also refund later." />
      <p>Received so far: <strong><${Money} minor=${taken} currency=${order.currency} /></strong></p>`}
    <${Field} name="reason" label="Reason" optional hint="Saved as an internal note." maxlength="255" />
  <//>`;
}

export function Complete({ order, onClose, changed }) {
  const change = useChange('complete', order, changed);
  return html`<${FormDialog} title="Complete this order?" name="complete" submit="Complete"
    onClose=${onClose} onStale=${changed} action=${() => change({}, 'Order completed.')}>
    <p>All items are fulfilled. Completing closes the order. You can still refund it.</p>
    ${order.totalMinor > order.paidMinor && html`<${Alert} tone="info"><span>
      <${Money} minor=${order.totalMinor - order.paidMinor} currency=${order.currency} /> is outstanding.</span><//>`}
  <//>`;
}

/** The emails of which an order's state says that they were sent. The server decides. */
const sentEmails = (o) => ['PLACED', o.paidMinor > 0 && 'PAID', o.fulfillmentStatus !== 'UNFULFILLED' && 'SHIPPED',
  o.refundedMinor > 0 && 'REFUNDED', o.status === 'CANCELLED' && 'CANCELLED'].filter(Boolean);

export function ResendEmail({ order, onClose, changed }) {
  const action = useAction(documents.resend, (v) => ({ id: order.id, email: v.get('which') }), 'Email sent again.',
    changed);
  return html`<${FormDialog} title="Send an email again" name="resend-email" submit="Send" onClose=${onClose}
    action=${action}>
    <p><bdi>${order.email}</bdi> gets the email with the current texts.</p>
    <${Select} name="which" label="Email" value="PLACED"
      options=${sentEmails(order).map((e) => [e, emailNames[e]])} />
  <//>`;
}

/** A select that adds @ and the name of a colleague to the note beside it. */
function Mention() {
  const box = useRef(null);
  const people = useCached('{ noteReaders { id name } }')?.noteReaders ?? [];
  const add = (e) => {
    const area = box.current.closest('form').elements.namedItem('body');
    area.setRangeText((area.selectionStart > 0 && !/\s$/.test(area.value.slice(0, area.selectionStart)) ? ' ' : '') +
      '@' + e.target.value + ' ', area.selectionStart, area.selectionEnd, 'end');
    area.dispatchEvent(new Event('input', { bubbles: true }));
    e.target.value = '';
    area.focus();
  };
  return people.length > 0 && html`<label class="filter" ref=${box}><span>Mention a colleague</span>
    <select onChange=${add} data-test="mention"><option value="">Choose a name</option>
      ${people.map((p) => html`<option key=${p.id} value=${p.name}>${p.name}</option>`)}</select></label>`;
}

export function NoteForm({ order, changed }) {
  const [turn, setTurn] = useState(0);
  const action = useAction(documents.note, (v) => ({
    id: order.id, input: { body: v.get('body') ?? '', visibility: v.get('visibility') },
  }), 'Note added.', () => {
    setTurn(turn + 1); // start with an empty form
    changed();
  });
  return html`<${Form} key=${turn} name="note" submit="Add note" action=${action}>
    <${Area} name="body" label="Note" rows=${3} required maxlength="5000"
      hint="Colleagues whom you mention, such as @Ada Lovelace, get a notification." />
    <${Mention} />
    <${Select} name="visibility" label="Visible to" value="INTERNAL"
      options=${[['INTERNAL', 'Only staff'], ['CUSTOMER', 'Staff and the customer']]} />
  <//>`;
}
