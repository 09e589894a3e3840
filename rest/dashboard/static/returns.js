// Returns: the card on the page of an order, and the actions that the list of returns shares with it.
import { html, useEffect, useRef, useState } from './lib.js';
import { useApp, useQuery } from './context.js';
import { Amount, Area, Field, FieldError, FormDialog, Select, amount, errors, text, useAction } from './form.js';
import { Exchange } from './exchange.js';
import { bytes } from './export_state.js';
import { to } from './route.js';
import { LocationField, Restock, received } from './stock_places.js';
import { Alert, Badge, Button, Card, ExternalLink, Money, Pending, Time } from './ui.js';
import { base64 } from './upload.js';

export const returnFields = `id state byShopper withdrawal name email note answer labelUrl refundedMinor createdAt
  label { position } photos { position } exchange { id number }
  version lines { lineItemId quantity reason }
  order { id number currency status fulfillmentStatus paidMinor refundedMinor paymentMethod
    lineItems { id title } }`;

const maxLabel = 2 << 20; // the server's limit of a label, in bytes

const reasons = { NONE: 'No reason', CHANGED_MIND: 'Changed their mind', DAMAGED: 'Damaged or defective',
  WRONG_ITEM: 'Wrong item', NOT_AS_DESCRIBED: 'Not as described', TOO_LATE: 'Arrived too late' };

export const returnStates = ['REQUESTED', 'APPROVED', 'RECEIVED', 'REFUNDED', 'DECLINED'];

const ofOrder = `query OrderReturns($id: ID!) {
  returns(filter: { orderId: $id }) { nodes { ${returnFields} } }
  orderReturnable(id: $id) { lineItemId quantity until refusal } }`;
const worth = `query ReturnWorth($id: ID!, $lines: [LineQuantityInput!]!) {
  order(id: $id) { refundPreviewMinor(lines: $lines) } }`;
const result = `{ return { id version } ${errors} }`;
const create = `mutation OrderReturnCreate($id: ID!, $input: ReturnInput!) {
  orderReturnCreate(id: $id, input: $input) ${result} }`;
const approve = `mutation OrderReturnApprove($id: ID!, $expectedVersion: Long!, $input: ReturnApproveInput!) {
  orderReturnApprove(id: $id, expectedVersion: $expectedVersion, input: $input) ${result} }`;
const decline = `mutation OrderReturnDecline($id: ID!, $expectedVersion: Long!, $reason: String!) {
  orderReturnDecline(id: $id, expectedVersion: $expectedVersion, reason: $reason) ${result} }`;
const refund = `mutation OrderReturnRefund($id: ID!, $expectedVersion: Long!, $input: ReturnRefundInput!) {
  orderReturnRefund(id: $id, expectedVersion: $expectedVersion, input: $input) ${result} }`;
const receive = `mutation OrderReturnReceive($id: ID!, $expectedVersion: Long!, $location: ID) {
  orderReturnReceive(id: $id, expectedVersion: $expectedVersion, location: $location) ${result} }`;

/** What a return is of, and what was said. */
export function ReturnText({ of: r }) {
  const { store } = useApp();
  const fileOf = (f) => `/dashboard/returns/${store.id}/${r.id}/${f.position}`;
  const titles = Object.fromEntries(r.order.lineItems.map((l) => [l.id, l.title]));
  return html`${r.lines.map((l) => html`<p key=${l.lineItemId}>${l.quantity} × <bdi>${
      titles[l.lineItemId] ?? 'Item'}</bdi>${l.reason !== 'NONE' &&
      html`<span class="muted">, ${reasons[l.reason].toLowerCase()}</span>`}</p>`)}
    ${r.withdrawal ? html`<p class="muted">The shopper withdrew from the contract${r.name &&
        html`: <bdi>${r.name}</bdi>, <bdi>${r.email}</bdi>`}.</p>`
      : r.byShopper && html`<p class="muted">The shopper asked for it.</p>`}
    ${r.note && html`<p class="verbatim">${r.note}</p>`}
    ${r.answer && html`<p class="verbatim muted">${r.answer}</p>`}
    ${r.photos.length > 0 && html`<p class="row-actions">${r.photos.map((f) => html`<a key=${f.position}
      href=${fileOf(f)} target="_blank" rel="noopener"><img src=${fileOf(f)} width="72" height="72" loading="lazy"
      alt=${'Photo ' + f.position + ' of the shopper'} /></a>`)}</p>`}
    ${r.labelUrl && html`<p><${ExternalLink} href=${r.labelUrl}>Label<//></p>`}
    ${r.label && html`<p><a href=${fileOf(r.label)} download>Label</a></p>`}
    ${r.refundedMinor != null && html`<p class="muted">Refunded:
      ${' '}<${Money} minor=${r.refundedMinor} currency=${r.order.currency} /></p>`}
    ${r.exchange && html`<p>Exchanged for
      ${' '}<a href=${to('/orders/' + r.exchange.id)} data-test="exchange-order">order #${r.exchange.number}</a></p>`}`;
}

/** Opens the dialogs of returns. They show the latest version of a row. */
export function useReturnDialog(rows, changed) {
  const [at, setAt] = useState(null);
  const Opened = at && dialogs[at.name];
  return {
    open: (name, of) => setAt({ name, of }),
    dialog: Opened && html`<${Opened} of=${rows?.find((r) => r.id === at.of.id) ?? at.of} changed=${changed}
      onClose=${() => setAt(null)} />`,
  };
}

/** The buttons of a return. */
export function ReturnActions({ of: r, open, changed }) {
  const { can } = useApp();
  const button = (name, word, kind = '') => html`<${Button} kind=${'small ' + kind} act=${() => open(name, r)}
    label=${`${word} return of order #${r.order.number}`} test=${'return-' + name}>${word}<//>`;
  // Nothing has to come back after a withdrawal from an order of which nothing was shipped.
  const unshipped = r.withdrawal && r.state === 'REQUESTED' && r.order.fulfillmentStatus === 'UNFULFILLED';
  const back = unshipped || ['APPROVED', 'RECEIVED'].includes(r.state);
  return html`<span class="row-actions">
    ${r.state === 'REQUESTED' && button('approve', 'Approve', unshipped ? '' : 'primary')}
    ${r.state === 'APPROVED' && button('approve', 'Change label')}
    ${r.state === 'APPROVED' && button('receive', 'Receive')}
    ${back && can('money') && button('refund', 'Refund',
      unshipped || r.state === 'RECEIVED' ? 'primary' : '')}
    ${['APPROVED', 'RECEIVED'].includes(r.state) && can('money') && button('exchange', 'Exchange')}
    ${(back || r.state === 'REQUESTED') && button('decline', 'Decline', 'danger-quiet')}</span>`;
}

function Approve({ of: r, onClose, changed }) {
  const { store } = useApp();
  const again = r.state === 'APPROVED';
  const run = useAction(approve, (input) => ({ id: r.id, expectedVersion: r.version, input }),
    again ? 'Label changed.' : 'Return approved.', changed);
  const action = async (v) => {
    const file = v.get('label');
    const label = file?.size ? await base64(file, { progress: () => {}, signal: new AbortController().signal }) : null;
    const url = text(v, 'labelUrl');
    return run({ instructions: text(v, 'instructions'), labelUrl: label && url === r.labelUrl ? null : url, label });
  };
  const check = ({ target }) => target.setCustomValidity(target.files[0]?.size > maxLabel
    ? 'The file is ' + bytes(target.files[0].size) + '. The maximum is 2 MiB.' : '');
  return html`<${FormDialog} title=${again ? 'Change label' : 'Approve return'} name="return-approve"
    submit=${again ? 'Change label' : 'Approve'} onClose=${onClose} onStale=${changed} action=${action}>
    <p>The shopper gets an email${again ? ' again' : ''} if they ordered in the shop.</p>
    <${Area} name="instructions" label="How to send the items" optional maxlength="1000"
      value=${r.answer ?? store.returns.instructions}
      hint="For example, the address and who pays for shipping." />
    <${Field} name="labelUrl" label="Label URL" optional type="url" maxlength="2048"
      value=${r.labelUrl ?? ''} hint="Starts with https://" />
    <${Field} name="label" label="Or a label to download" optional type="file" accept=".pdf,.png,.jpg,.jpeg"
      hint="A PDF, PNG or JPEG of up to 2 MiB. The shopper gets a link by email." onChange=${check} />
  <//>`;
}

function Decline({ of: r, onClose, changed }) {
  const action = useAction(decline, (v) => ({ id: r.id, expectedVersion: r.version, reason: text(v, 'reason') }),
    'Return declined.', changed);
  return html`<${FormDialog} title="Decline return" name="return-decline" submit="Decline" danger onClose=${onClose}
    onStale=${changed} action=${action}>
    ${r.withdrawal && html`<${Alert} tone="info">In the EU, shoppers need no reason to withdraw from a contract in
      time.<//>`}
    <${Area} name="reason" label="Reason" required maxlength="1000" hint="The shopper gets it by email." />
  <//>`;
}

function Receive({ of: r, onClose, changed }) {
  const action = useAction(receive, (v) => ({ id: r.id, expectedVersion: r.version, location: text(v, 'location') }),
    'Items received.', changed);
  return html`<${FormDialog} title="Receive return" name="return-receive" submit="Items received" onClose=${onClose}
    onStale=${changed} action=${action}>
    <p>The items of order #${r.order.number} are back. Refund or exchange them next.</p>
    <${LocationField} label="Received at" hint="Restocking returns the items to this location." />
  <//>`;
}

function Refund({ of: r, onClose, changed }) {
  const o = r.order;
  const lines = r.lines.map(({ lineItemId, quantity }) => ({ lineItemId, quantity }));
  const query = useQuery(worth, { id: o.id, lines });
  const action = useAction(refund, (v) => ({ id: r.id, expectedVersion: r.version,
    input: { amountMinor: amount(v, 'amountMinor', o.currency), restock: v.has('restock'),
      location: text(v, 'location') } }), 'Return refunded.', changed);
  const value = query.data?.order.refundPreviewMinor;
  return html`<${FormDialog} title="Refund return" name="return-refund" submit="Refund" danger onClose=${onClose}
    onStale=${changed} action=${action}>
    <p>You can refund up to <strong><${Money} minor=${o.paidMinor - o.refundedMinor}
      currency=${o.currency} /></strong>.
      ${o.paymentMethod === 'STRIPE' ? ' Stripe payments are refunded through Stripe.'
        : ' This only records the refund. Return the money yourself.'}</p>
    ${!query.data ? html`<${Pending} of=${query} rows=${1} />` : html`<${Amount} name="amountMinor" label="Amount"
      minor=${value} currency=${o.currency} hint="The value of the items. You can change it." />`}
    ${o.status !== 'CANCELLED' && html`<${Restock} label="Restock the items" value=${true} none=${received} />`}
  <//>`;
}

function Create({ order: o, left, onClose, changed }) {
  const lines = o.lineItems.filter((l) => left[l.id] > 0);
  const action = useAction(create, (v) => {
    const chosen = lines.map((l) => ({ lineItemId: l.id, quantity: Number(v.get('quantity.' + l.id)),
      reason: v.get('reason.' + l.id) })).filter((l) => l.quantity !== 0);
    const wrong = chosen.find((l) => !Number.isInteger(l.quantity) || l.quantity < 0 ||
      l.quantity > left[l.lineItemId]);
    if (wrong) {
      throw new FieldError('quantity.' + wrong.lineItemId, `Choose a number from 0 to ${left[wrong.lineItemId]}.`);
    }
    if (chosen.length === 0) {
      throw new FieldError('quantity.' + lines[0].id, 'Choose at least one item.');
    }
    return { id: o.id, input: { lines: chosen, note: text(v, 'note') } };
  }, 'Return created.', changed);
  return html`<${FormDialog} title="Create return" name="return-create" submit="Create return" onClose=${onClose}
    action=${action}>
    <p>For items that the shopper wants to send back. Then approve it: the shopper gets an email.</p>
    ${lines.map((l) => html`<fieldset key=${l.id} class="pair"><legend><bdi>${l.title}</bdi></legend>
      <${Field} name=${'quantity.' + l.id} label="Quantity" type="number" min="0" max=${left[l.id]} step="1"
        inputmode="numeric" value="0" hint=${'Up to ' + left[l.id]} />
      <${Select} name=${'reason.' + l.id} label="Reason" value="NONE" options=${Object.entries(reasons)} />
    </fieldset>`)}
    <${Area} name="note" label="Note" optional maxlength="1000" hint="Only staff see it." />
  <//>`;
}

const dialogs = { approve: Approve, decline: Decline, receive: Receive, refund: Refund, exchange: Exchange };

const refusals = { CANCELLED: 'the order is cancelled', UNPAID: 'the order is not paid yet',
  EXCLUDED: 'the products are excluded', NONE_LEFT: 'all items are refunded or in a return',
  UNSHIPPED: 'nothing is shipped yet', EXPIRED: 'their time is over' };

/** What the shopper may do by themselves. */
const refusalOf = ({ until, refusal }) => (refusal ? `The shopper cannot return items: ${refusals[refusal]}.`
  : html`The shopper can return items${until ? html` until <${Time} at=${until} />` : ''}.`);

/** The returns of an order, on its page. changed reads the order again. */
export function OrderReturns({ order: o, changed }) {
  const query = useQuery(ofOrder, { id: o.id });
  const seen = useRef(o.version);
  const [creating, setCreating] = useState(false);
  const list = query.data?.returns.nodes;
  const { open, dialog } = useReturnDialog(list, changed);
  useEffect(() => {
    if (seen.current !== o.version) { // each change of a return is a change of its order
      seen.current = o.version;
      query.refresh();
    }
  }, [o.version]);
  const lines = query.data?.orderReturnable ?? [];
  const left = Object.fromEntries(lines.map((l) => [l.lineItemId, l.quantity]));
  return html`<${Card} title="Returns" name="order-returns">
    ${!list ? html`<${Pending} of=${query} rows=${1} />`
      : list.length === 0 ? html`<p class="muted">No returns.</p>`
      : html`<ul class="link-list">${list.map((r) => html`<li key=${r.id}><div class="grow">
          <p><${Badge} value=${r.state} />${' '}<${Time} at=${r.createdAt} how="date" /></p>
          <${ReturnText} of=${r} />
          <${ReturnActions} of=${r} open=${open} changed=${changed} /></div></li>`)}</ul>`}
    ${list && lines.some((l) => l.refusal !== 'OFF') && html`<p class="muted">${
      refusalOf(lines.find((l) => !l.refusal) ?? lines[0])}</p>`}
    ${list && o.status !== 'CANCELLED' && Object.values(left).some((n) => n > 0) && html`<${Button}
      act=${() => setCreating(true)} test="return-new">Create return<//>`}
    ${creating && html`<${Create} order=${o} left=${left} changed=${changed}
      onClose=${() => setCreating(false)} />`}
    ${dialog}
  <//>`;
}
