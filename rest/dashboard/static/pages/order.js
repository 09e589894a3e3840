// An order: items, customer, timeline and actions.
import { html, useEffect, useState } from '../lib.js';
import { useAll, useApp, useQuery, go } from '../context.js';
import {
  Page, Card, Badge, Joined, Money, Time, Facts, ExternalLink, Thumb, MissingPage, Button, imageFields, humanize,
  isolate,
} from '../ui.js';
import { Icon } from '../icons.js';
import { CopyValue } from '../copy.js';
import { countryName } from '../countries.js';
import { useKeys } from '../keys.js';
import { around, visit } from '../order_walk.js';
import { to } from '../route.js';
import { allowed, events } from '../order_state.js';
import { Totals } from '../totals.js';
import { MarkPaid, RecordPayment, Fulfill, Refund, Cancel, Complete, NoteForm, ResendEmail } from './order_actions.js';
import { PaymentLink, RequestPayment } from '../order_request.js';
import { addressFields } from '../address_fields.js';
import { OrderInvoices } from '../invoices.js';
import { OrderReturns } from '../returns.js';
import { OrderDownloads } from '../order_downloads.js';
import { CustomFields } from '../custom_fields.js';

const document = (can) => `query Order($id: ID!) {
  order(id: $id) {
    id number status financialStatus fulfillmentStatus currency
    subtotalMinor discountMinor shippingMinor taxMinor totalMinor paidMinor refundedMinor
    customerId email billingAddress { ${addressFields} } shippingAddress { ${addressFields} }
    lineItems { id productId title options requiresShipping sku quantity fulfilledQuantity refundedQuantity
      unitPriceMinor discountMinor taxMinor totalMinor allocations { locationId quantity } ${
        can('products') ? 'product { id imageUrl version image { ' + imageFields + ' } }' : ''} }
    notesCount tags source placedAt paidAt fulfilledAt cancelledAt completedAt version customFields
    includedTaxMinor taxes { name rate included amountMinor } taxRelief vatId vatConsultation
    discountCode shippingMethod paymentMethod externalNumber paymentDueAt
    ${can('notes') ? 'payUrl exchangeOf { id number }' : ''}
    ${can('customers') ? 'customer { id displayName email ordersCount }' : ''}
    ${can('notes') ? `notes(first: 100) { id body visibility author { type name } createdAt }
    payments { id kind amountMinor currency method reference reason lines { lineItemId quantity } createdAt }
    providerRefunds { paymentId amountMinor currency state failure createdAt }
    acts { id action actor { type name } requestId detail createdAt }
    waitingEmails { email attempts dueAt createdAt }
    fulfillments { id lines { lineItemId quantity } carrier trackingNumber trackingUrl createdAt }` : ''}
  }
}`;

const dialogs = { 'mark-paid': MarkPaid, 'record-payment': RecordPayment, fulfill: Fulfill, refund: Refund,
  cancel: Cancel, complete: Complete, request: RequestPayment, 'resend-email': ResendEmail };

export function Order({ id }) {
  const { can, store } = useApp();
  const query = useQuery(document(can), { id });
  const [dialog, setDialog] = useState('');
  const near = around(store, id);
  const back = { href: near.list, text: 'Orders' };
  const o = query.data?.order;
  useEffect(() => visit(store, id), [id]);
  useKeys({
    j: near.next && (() => go(near.next)), k: near.previous && (() => go(near.previous)), u: () => go(near.list),
    f: o && can('ship') && allowed(o).fulfill && (() => setDialog('fulfill')),
  });
  if (!o) {
    return html`<${MissingPage} query=${query} name="Order" icon="orders" back=${back} />`;
  }
  const may = allowed(o);
  const resend = o.email && o.source === 'storefront' && can('notes') && (() => setDialog('resend-email'));
  const ended = o.status === 'CANCELLED';
  const Opened = dialogs[dialog];
  const button = (name, text, icon, kind = '') => html`<${Button} kind=${kind} icon=${icon} act=${() => setDialog(name)}
    test=${'order-' + name}>${text}<//>`;
  const step = (href, name, icon, key) => href && html`<a class="button square" href=${href} aria-label=${name}
    title=${name + ' (' + key + ')'} aria-keyshortcuts=${key} data-test=${'order-' + icon}>
    <${Icon} name=${icon} size="16" /></a>`;
  const actions = html`
    ${step(near.previous, 'Previous order', 'back', 'k')}${step(near.next, 'Next order', 'next', 'j')}
    ${may.fulfill && can('ship') && button('fulfill', 'Fulfill', 'truck', 'primary')}
    ${may.pay && can('money') && button('mark-paid', 'Mark as paid', 'check')}
    ${may.pay && can('money') && button('record-payment', 'Record payment', 'money')}
    ${may.request && can('money') && button('request', 'Request payment', 'money')}
    ${may.refund && can('money') && button('refund', 'Refund', 'undo')}
    ${may.complete && can('money') && button('complete', 'Complete', 'check', 'primary')}
    ${can('money') && html`<a class="button" href=${to('/orders/' + o.id + '/edit')} data-test="order-edit">
      <${Icon} name="pencil" size="16" />Edit</a>`}
    ${may.items && can('money') && html`<a class="button" href=${to('/orders/' + o.id + '/items')}
      data-test="order-items">Edit items</a>`}
    <a class="button" href=${to('/orders/print', { ids: o.id })} data-test="order-print">
      <${Icon} name="print" size="16" />Print</a>
    <a class="button" href=${to('/orders/print', { ids: o.id, as: 'slip' })} data-test="order-slip">Packing slip</a>
    ${resend && button('resend-email', 'Resend email')}
    ${may.cancel && can('money') && button('cancel', 'Cancel order', 'close', 'danger-quiet')}`;
  return html`<${Page} title=${'Order #' + o.number} back=${back} actions=${actions}
    badges=${html`<${Badge} value=${o.status} /><${Badge} value=${o.financialStatus} calm=${ended} />
      <${Badge} value=${o.fulfillmentStatus} calm=${ended} />`}>
    <div class="split">
      <div class="stack">
        <${Lines} order=${o} />
        <${Timeline} order=${o} resend=${resend} />
        ${can('notes') && html`<${Card} title="Add a note"><${NoteForm} order=${o} changed=${query.reload} /><//>`}
      </div>
      <div class="stack">
        <${PaymentLink} order=${o} />
        <${CustomerCard} order=${o} />
        <${OrderInvoices} order=${o} key=${o.version} />
        <${OrderReturns} order=${o} changed=${query.refresh} />
        ${can('notes') && html`<${OrderDownloads} order=${o} key=${'d' + o.version} />`}
        <${Card} title="Order"><${Facts} rows=${[
          ['Placed', html`<${Time} at=${o.placedAt} />`], ['Source', o.source],
          ['In exchange for', o.exchangeOf && html`<a href=${to('/orders/' + o.exchangeOf.id)}
            data-test="exchange-of">Return of order #${o.exchangeOf.number}</a>`],
          ['Shipping', o.shippingMethod], ['Payment', o.paymentMethod && humanize(o.paymentMethod)],
          ['Cancelled if unpaid by', o.paymentDueAt && html`<${Time} at=${o.paymentDueAt} />`],
          ['Discount code', o.discountCode], ['External number', o.externalNumber],
          ['Tags', o.tags.length > 0 &&
            html`<span class="tags">${o.tags.map((t) => html`<a class="tag" key=${t}
              href=${to('/orders', { tag: t })}><bdi>${t}</bdi></a>`)}</span>`],
          ['Events', can('events') && html`<a href=${to('/events', { resource: o.id })}>Show events</a>`],
          ['ID', html`<${CopyValue} text=${o.id} what="the ID" />`],
          ['Link', html`<${CopyValue} text=${location.origin + location.pathname} what="the link">Order page<//>`],
        ]} /><//>
        <${CustomFields} owner="ORDER" id=${o.id} version=${o.version} values=${o.customFields} may=${can('money')}
          changed=${query.refresh} stale=${query.refresh} />
      </div>
    </div>
    ${Opened && html`<${Opened} order=${o} onClose=${() => setDialog('')} changed=${query.reload} />`}
  <//>`;
}

function Lines({ order: o }) {
  const spread = o.lineItems.some((l) => l.allocations.length > 0);
  const places = useAll(spread && 'locations', 'id name').nodes ?? [];
  const placed = (l) => l.allocations.map((a) => a.quantity + ' from ' +
    isolate(places.find((p) => p.id === a.locationId)?.name ?? a.locationId)).join(', ');
  return html`<${Card} title="Items" flush name="order-lines">
    <ul class="lines">${o.lineItems.map((l) => html`<li key=${l.id}>
      <${Thumb} product=${l.product} />
      <div class="grow">
        <p class="line-title">
          ${l.product ? html`<a href=${to('/products/' + l.product.id)}><bdi>${l.title}</bdi></a>`
            : html`<bdi>${l.title}</bdi>`}</p>
        ${l.options.length > 0 && html`<p><bdi>${l.options.join(' / ')}</bdi></p>`}
        <p class="muted">${l.sku && html`<bdi>${l.sku}</bdi>, `}${l.quantity} × <${Money}
            minor=${l.unitPriceMinor} currency=${o.currency} />
          ${l.discountMinor > 0 && html`, discount <${Money} minor=${l.discountMinor} currency=${o.currency} />`}
          ${!l.requiresShipping && ', no shipping needed'}
          ${l.taxMinor > 0 && html`, tax <${Money} minor=${l.taxMinor} currency=${o.currency} />`}</p>
        ${l.allocations.length > 0 && html`<p class="muted" data-test="allocations">${placed(l)}</p>`}
        ${(l.fulfilledQuantity > 0 || l.refundedQuantity > 0) && html`<p class="muted">${[
          l.fulfilledQuantity > 0 && l.fulfilledQuantity + ' fulfilled',
          l.refundedQuantity > 0 && l.refundedQuantity + ' refunded',
        ].filter(Boolean).join(', ')}</p>`}
      </div>
      <${Money} minor=${l.totalMinor} currency=${o.currency} />
    </li>`)}</ul>
    <${Totals} of=${o} caption="Amounts" />
  <//>`;
}

const refunds = { WAITING: 'Refund pending at Stripe', DONE: 'Refunded through Stripe',
  FAILED: 'Refund failed at Stripe' };

function Timeline({ order: o, resend }) {
  const titles = Object.fromEntries(o.lineItems.map((l) => [l.id, l.title]));
  const picked = (lines) => lines.map((l) => html`${l.quantity} × <bdi>${titles[l.lineItemId] ?? 'item'}</bdi>`);
  const name = (text) => text && html`<bdi>${text}</bdi>`;
  const hidden = o.notesCount - (o.notes?.length ?? 0);
  return html`<${Card} title="Timeline" name="timeline">
    <ol class="timeline">${events(o).map((e) => html`<li key=${e.key}>
      <span class="dot"><${Icon} name=${e.icon} size="16" /></span>
      <div class="grow">
        <p><span class="strong">${e.title}</span>
          ${e.late && html` <${Money} minor=${e.late.amountMinor} currency=${e.late.currency} minus />`}
          ${e.payment && html` <${Money} minor=${Math.abs(e.payment.amountMinor)}
            currency=${e.payment.currency} minus=${e.back} />`}</p>
        ${e.payment && html`<p class="muted"><${Joined} of=${[
          name(e.payment.method), name(e.payment.reference), name(e.payment.reason),
          ...picked(e.payment.lines)]} /></p>`}
        ${e.refund && html`<p><${Badge} value=${e.refund.state} text=${refunds[e.refund.state]} />
          ${e.refund.failure && html` <span class="muted">${e.refund.failure}</span>`}</p>`}
        ${e.shipment && html`<p class="muted">
          <${Joined} of=${[...picked(e.shipment.lines), name(e.shipment.carrier), name(e.shipment.trackingNumber)]} />
          ${e.shipment.trackingUrl && html` <${CopyValue} text=${e.shipment.trackingUrl} what="the tracking link">
            <${ExternalLink} href=${e.shipment.trackingUrl}>Track shipment<//><//>`}</p>`}
        ${e.note && html`<p class="verbatim">${e.note.body}</p>
          <p class="muted"><bdi>${e.note.author.name || humanize(e.note.author.type)}</bdi></p>`}
        ${e.email?.why && html`<p class="muted">${e.email.why}</p>`}
        ${e.email?.failed && resend && html`<${Button} kind="small" act=${resend}
          test="timeline-resend">Resend<//>`}
        ${e.waiting && html`<p class="muted">${e.waiting.attempts === 0 ? 'Not sent yet.'
          : html`Attempts so far: ${e.waiting.attempts}. Next attempt: <${Time} at=${e.waiting.dueAt} />`}</p>`}
        ${e.act && html`<p class="muted" data-test="act"><${ActorLine} act=${e.act} /></p>`}
      </div>
      <${Time} at=${e.at} />
    </li>`)}</ol>
    ${o.notes && hidden > 0 && html`<p class="muted">${hidden} older notes are not shown.</p>`}
  <//>`;
}

const kinds = { STAFF: 'staff', API_KEY: 'API key', OAUTH_APP: 'app' };

/** Who did something, with the request id to copy. */
function ActorLine({ act: { action, actor, requestId } }) {
  const who = action === 'order.place' ? 'By the shopper'
    : actor.type === 'SYSTEM' ? 'By the system'
    : html`By <bdi>${actor.name}</bdi> (${kinds[actor.type] ?? humanize(actor.type)})`;
  return requestId ? html`<${CopyValue} text=${requestId} what="the request ID">${who}<//>` : who;
}

function CustomerCard({ order: o }) {
  return html`<${Card} title="Customer">
    ${o.customer
      ? html`<p><a class="strong" href=${to('/customers/' + o.customer.id)}><bdi>${o.customer.displayName}</bdi></a></p>
          <p class="muted">${o.customer.ordersCount} ${o.customer.ordersCount === 1 ? 'order' : 'orders'}</p>`
      : !o.email && html`<p class="muted">No customer</p>`}
    ${o.email && html`<p><${CopyValue} text=${o.email} what="the email"><bdi class="url">${o.email}</bdi><//></p>`}
    ${o.shippingAddress && html`<h3>Ship to</h3><${Address} of=${o.shippingAddress} />`}
    ${o.billingAddress && html`<h3>Bill to</h3><${Address} of=${o.billingAddress} />`}
    ${o.vatId && html`<h3>VAT ID</h3><p><bdi>${o.vatId}</bdi></p>
      <p class="muted">
        ${o.vatConsultation ? 'Confirmed by VIES: ' + o.vatConsultation : 'Only its form was checked.'}
      </p>`}
  <//>`;
}

export function Address({ of: a }) {
  const town = [a.postalCode, a.city, a.region].filter(Boolean).join(' ');
  const rows = [a.name, a.company, a.line1, a.line2, town, countryName(a.country), a.phone].filter(Boolean);
  return html`<address>${rows.map((t, i) => html`<bdi key=${i}>${t}</bdi>`)}</address>`;
}
