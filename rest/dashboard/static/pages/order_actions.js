// What can be done to an order: each is a dialog with one form and one mutation.
import { html, useEffect, useRef, useState } from '../lib.js';
import { send, Failure } from '../api.js';
import { useApp } from '../context.js';
import { FormDialog, Form, Field, Area, Select, Check, Amount, Wrong, amount, text, useMutation } from '../form.js';
import { Money, Alert } from '../ui.js';
import { left } from '../order_state.js';

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
  complete: `mutation Complete($id: ID!, $expectedVersion: Long!) {
    orderComplete(id: $id, expectedVersion: $expectedVersion) ${answer} }`,
  note: `mutation Note($id: ID!, $input: OrderNoteInput!) {
    orderNoteAppend(orderId: $id, input: $input) { note { id } order { version } userErrors { code message path } } }`,
};

/** Runs one of the documents on the order as it was read, then reads it again. */
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
  return html`<${FormDialog} title="Mark as paid" name="mark-paid" submit="Mark paid"
    onClose=${onClose} onStale=${changed}
    action=${(v) => change({ method: text(v, 'method'), reference: text(v, 'reference') }, 'The order is paid.')}>
    <p>This records a payment of <strong><${Money} minor=${order.totalMinor - order.paidMinor}
      currency=${order.currency} /></strong>, all that is still owed.</p>
    <${Field} name="method" label="Method" optional hint="Such as bank transfer or cash." maxlength="64" />
    <${Field} name="reference" label="Reference" optional hint="What your books call the payment." maxlength="255" />
  <//>`;
}

export function RecordPayment({ order, onClose, changed }) {
  const change = useChange('recordPayment', order, changed);
  const action = (v) => {
    const amountMinor = amount(v, 'amountMinor', order.currency);
    const input = { amountMinor, method: text(v, 'method'), reference: text(v, 'reference') };
    return change({ input }, 'The payment is recorded.');
  };
  return html`<${FormDialog} title="Record a payment" name="record-payment" submit="Record payment"
    onClose=${onClose} onStale=${changed} action=${action}>
    <p>Still owed: <strong><${Money} minor=${order.totalMinor - order.paidMinor}
      currency=${order.currency} /></strong></p>
    <${Amount} name="amountMinor" label="Amount" currency=${order.currency} />
    <${Field} name="method" label="Method" optional maxlength="64" />
    <${Field} name="reference" label="Reference" optional maxlength="255" />
  <//>`;
}

/** The quantities that a person chose, by line; lines of zero are left out. */
function quantities(values, order, most) {
  const lines = [];
  for (const l of order.lineItems) {
    const typed = (values.get('line-' + l.id) ?? '').trim();
    if (typed === '' || Number(typed) === 0) {
      continue;
    }
    if (!/^\d{1,9}$/.test(typed) || Number(typed) > most(l)) {
      throw new Wrong('line-' + l.id, 'Choose a number from 0 to ' + most(l) + '.');
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
    const lines = quantities(v, order, left);
    if (lines.length === 0) {
      throw new Wrong('line-' + order.lineItems.find((l) => left(l) > 0)?.id, 'Choose at least one item to ship.');
    }
    const input = {
      lines, carrier: text(v, 'carrier'), trackingNumber: text(v, 'trackingNumber'),
      trackingUrl: text(v, 'trackingUrl'),
    };
    return change({ input }, 'The shipment is recorded.');
  };
  return html`<${FormDialog} title="Fulfil items" name="fulfill" submit="Fulfil"
    onClose=${onClose} onStale=${changed} action=${action}>
    ${order.totalMinor > order.paidMinor && html`<${Alert} tone="info">
      This order is not paid in full. It can be shipped all the same.<//>`}
    <${LineFields} order=${order} most=${left} full />
    <${Field} name="carrier" label="Carrier" optional maxlength="255" />
    <${Field} name="trackingNumber" label="Tracking number" optional maxlength="255" />
    <${Field} name="trackingUrl" label="Tracking address" optional type="url" hint="Begins with https://"
      maxlength="2048" />
  <//>`;
}

const worth = `query Worth($id: ID!, $lines: [LineQuantityInput!]!) {
  order(id: $id) { refundPreviewMinor(lines: $lines) } }`;

/** Fills the amount with what the chosen units are worth, as the server computes it. */
function useWorth(order, most) {
  const [minor, set] = useState(null);
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
      const { data } = await send(worth, { id: order.id, lines });
      if (mine === turn.current) {
        set(data.order.refundPreviewMinor);
      }
    } catch (err) {
      if (!(err instanceof Wrong || err instanceof Failure)) {
        throw err; // what is wrong with a quantity is said when the form is sent
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
  const [withLines, choose] = useState(false);
  const filled = useWorth(order, most);
  const action = (v) => {
    const lines = withLines ? quantities(v, order, most) : [];
    const input = {
      amountMinor: amount(v, 'amountMinor', order.currency), reason: text(v, 'reason'),
      restock: withLines && v.has('restock'),
    };
    if (lines.length > 0) {
      input.lines = lines;
    } else if (input.restock) {
      throw new Wrong('restock', 'Choose which items go back to the stock.');
    }
    return change({ input }, 'The refund is recorded.');
  };
  return html`<${FormDialog} title="Refund" name="refund" submit="Refund" danger
    onClose=${onClose} onStale=${changed} action=${action}>
    <p>Up to <strong><${Money} minor=${order.paidMinor - order.refundedMinor} currency=${order.currency} /></strong> can
      be given back. ${order.paymentMethod === 'STRIPE' ? 'What was paid through Stripe goes back through it.'
        : 'This records the refund; it does not move money by itself.'}</p>
    <${Amount} key=${'of' + filled.minor} name="amountMinor" label="Amount" currency=${order.currency}
      minor=${filled.minor} />
    <${Field} name="reason" label="Reason" optional maxlength="255" />
    <${Check} name="choose" label="This refund is for certain items" value=${false}
      onChange=${(e) => choose(e.target.checked)} />
    ${withLines && html`<div onInput=${filled.choose}><${LineFields} order=${order} most=${most} />
        <p class="hint">The amount follows from the quantities; it can be changed.</p></div>
      ${order.status !== 'CANCELLED' && html`<${Check} name="restock" label="Put these items back into the stock" />`}`}
  <//>`;
}

export function Cancel({ order, onClose, changed }) {
  const change = useChange('cancel', order, changed);
  const taken = order.paidMinor - order.refundedMinor;
  return html`<${FormDialog} title=${'Cancel order #' + order.number + '?'} name="cancel" submit="Cancel order"
    busyText="Cancelling" keep="Keep order" danger onClose=${onClose} onStale=${changed}
    action=${(v) => change(
      { refund: v.get('refund') === 'yes', reason: text(v, 'reason') }, 'The order is cancelled.')}>
    <p>The order ends and its items go back to the stock. This cannot be undone.</p>
    ${taken > 0 && html`<${Select} name="refund" label="Money that was taken" value="yes"
        options=${[['yes', 'Record a refund of all of it'], ['no', 'Keep it for now']]}
        hint="It can be refunded later, too." />
      <p>Taken so far: <strong><${Money} minor=${taken} currency=${order.currency} /></strong></p>`}
    <${Field} name="reason" label="Reason" optional hint="Kept as an internal note." maxlength="255" />
  <//>`;
}

export function Complete({ order, onClose, changed }) {
  const change = useChange('complete', order, changed);
  return html`<${FormDialog} title="Complete the order?" name="complete" submit="Complete"
    onClose=${onClose} onStale=${changed} action=${() => change({}, 'The order is completed.')}>
    <p>Everything is shipped. Completing closes the order; refunds stay possible.</p>
    ${order.totalMinor > order.paidMinor && html`<${Alert} tone="info"><span>
      <${Money} minor=${order.totalMinor - order.paidMinor} currency=${order.currency} /> is still owed.</span><//>`}
  <//>`;
}

export function NoteForm({ order, changed }) {
  const { notify } = useApp();
  const run = useMutation(documents.note);
  const [turn, again] = useState(0);
  const action = async (v) => {
    await run({ id: order.id, input: { body: v.get('body') ?? '', visibility: v.get('visibility') } });
    notify('The note is added.');
    again(turn + 1); // an empty form for the next one
    changed();
  };
  return html`<${Form} key=${turn} name="note" submit="Add note" action=${action}>
    <${Area} name="body" label="Note" rows=${3} required maxlength="5000" />
    <${Select} name="visibility" label="Who may read it" value="INTERNAL"
      options=${[['INTERNAL', 'Only staff'], ['CUSTOMER', 'The customer, too']]} />
  <//>`;
}
