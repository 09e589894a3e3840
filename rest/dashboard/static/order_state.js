// The meaning of an order's state. No function here renders anything.
import { percentText } from './money.js';

/** The quantity of a line that is still to be fulfilled. Refunded units are not. */
export const unfulfilled = (l) => Math.max(0, l.quantity - l.fulfilledQuantity - l.refundedQuantity);

/** The actions that an order's state allows. The server decides. */
export function allowed(o) {
  return {
    pay: o.status !== 'CANCELLED' && o.totalMinor > o.paidMinor,
    refund: o.paidMinor > o.refundedMinor,
    fulfill: o.status === 'OPEN' && o.fulfillmentStatus !== 'FULFILLED' && o.lineItems.some((l) => unfulfilled(l) > 0),
    cancel: o.status === 'OPEN' && o.fulfillmentStatus === 'UNFULFILLED',
    complete: o.status === 'OPEN' && o.fulfillmentStatus === 'FULFILLED',
    request: o.status === 'OPEN' && o.totalMinor > o.paidMinor && o.refundedMinor === 0,
    items: o.status === 'OPEN' && o.fulfillmentStatus === 'UNFULFILLED' && o.refundedMinor === 0,
  };
}

const reliefs = { REVERSE_CHARGE: 'Reverse charge: the buyer owes the tax', EXEMPT: 'Tax-exempt' };

/**
 * Shipping as the store entered it, and the taxes as [label, minor], added to prices or included in them. The order has
 * added tax on shipping within its shipping, as its included tax. Without known taxes there is only their sum.
 */
export function shownTaxes({ shippingMinor: shipping, taxMinor: tax, includedTaxMinor, taxes, taxRelief }) {
  const within = includedTaxMinor ?? 0;
  if (taxRelief) {
    return { shipping, added: [[reliefs[taxRelief], 0, true]], included: [] };
  }
  if (taxes.length === 0) {
    return tax === 0 || within > shipping ? { shipping, added: [['Tax', tax]], included: [['Including tax', within]] }
      : { shipping: shipping - within, added: [['Tax', tax + within]], included: [] };
  }
  const rows = (included, before) => taxes.filter((t) => t.included === included)
    .map((t) => [`${before}${t.name} ${percentText(t.rate)}`, t.amountMinor]);
  return { shipping: taxes[0].included ? shipping : shipping - within, added: rows(false, ''),
    included: rows(true, 'Including ') };
}

/** The emails to shoppers. */
export const emailNames = { PLACED: 'Order confirmation', PAID: 'Payment', PARTLY_SHIPPED: 'Part shipped',
  SHIPPED: 'Shipped', REFUNDED: 'Refund', CANCELLED: 'Cancellation', RETURN_REQUESTED: 'Return requested',
  WITHDRAWN: 'Withdrawal', RETURN_APPROVED: 'Return approved',
  RETURN_DECLINED: 'Return declined', REMINDER: 'Cart reminder' };

/** Audit actions that have no row of their own in the timeline. */
const changeTitles = { 'order.update': 'Order changed', 'order.edit_lines': 'Items changed',
  'order.request_payment': 'Payment requested', 'order.email_resend': 'Email to be sent again',
  'order.return_create': 'Return requested', 'order.return_approve': 'Return approved',
  'order.return_decline': 'Return declined', 'order.return_receive': 'Returned items received' };

/** Audit actions about emails to the shopper. Their detail is which one and, after a colon, why it was not sent. */
const emailTitles = { 'order.email_send': 'Email sent', 'order.email_fail': 'Email not sent',
  'order.email_withhold': 'Email not sent' };

const titled = (title, email) => (emailNames[email] ? title + ': ' + emailNames[email] : title);

/** The rows of the timeline about emails: ended ones and waiting ones. */
function emailEvents(acts, waiting) {
  const ended = acts.filter((a) => emailTitles[a.action]).map((a) => {
    const [email, ...why] = (a.detail ?? '').split(': ');
    const known = emailNames[email.toUpperCase()];
    return { at: a.createdAt, icon: 'send', key: a.id, title: titled(emailTitles[a.action], email.toUpperCase()),
      email: { why: known ? why.join(': ') : a.detail, failed: a.action !== 'order.email_send' } };
  });
  return [...ended, ...waiting.map((m) => ({ at: m.createdAt, icon: 'send', key: 'waiting' + m.createdAt, waiting: m,
    title: titled('Email waiting', m.email) }))];
}

/** the maximum time between rows of one transaction, in milliseconds */
const maxDistance = 5000;

/** The audit entry with one of the actions that is closest to a time. */
function closestAct(acts, at, actions) {
  const distance = (a) => Math.abs(Date.parse(a.createdAt) - Date.parse(at));
  const candidates = acts.filter((a) => actions.includes(a.action) && distance(a) <= maxDistance)
    .sort((a, b) => distance(a) - distance(b));
  return candidates[0];
}

/** The timeline of an order, oldest first, with the actor if the audit log knows it. */
export function events(o) {
  const acts = o.acts ?? [];
  const placed = acts.find((a) => a.action === 'order.create' || a.action === 'order.place');
  const list = [{ at: o.placedAt, icon: 'orders', title: 'Order placed', key: 'placed', act: placed }];
  for (const a of acts.filter((a) => changeTitles[a.action])) {
    list.push({ at: a.createdAt, icon: 'pencil', title: changeTitles[a.action], key: a.id, act: a });
  }
  list.push(...emailEvents(acts, o.waitingEmails ?? []));
  for (const p of o.payments ?? []) {
    const refund = p.kind === 'REFUND';
    const back = refund || p.amountMinor < 0;
    list.push({
      at: p.createdAt, icon: back ? 'undo' : 'money', key: p.id, payment: p, back,
      title: refund ? 'Refund' : back ? 'Payment returned' : 'Payment',
      refund: o.providerRefunds?.find((r) => r.paymentId === p.id),
      act: closestAct(acts, p.createdAt, refund ? ['order.refund', 'order.return_refund', 'order.cancel']
        : back ? ['order.edit_lines'] : ['order.mark_paid', 'order.record_payment', 'order.pay_online']),
    });
  }
  for (const r of o.providerRefunds?.filter((r) => !r.paymentId) ?? []) {
    list.push({
      at: r.createdAt, icon: 'undo', key: 'late' + r.createdAt, late: r, refund: r,
      title: 'Payment not applied to the order',
    });
  }
  for (const f of o.fulfillments ?? []) {
    list.push({ at: f.createdAt, icon: 'truck', key: f.id, shipment: f, title: 'Shipment',
      act: closestAct(acts, f.createdAt, ['order.fulfill']) });
  }
  for (const n of o.notes ?? []) {
    const title = n.visibility === 'CUSTOMER' ? 'Note for the customer' : 'Internal note';
    list.push({ at: n.createdAt, icon: 'note', key: n.id, note: n, title });
  }
  if (o.cancelledAt) {
    list.push({ at: o.cancelledAt, icon: 'close', title: 'Order cancelled', key: 'cancelled',
      act: closestAct(acts, o.cancelledAt, acts.map((a) => a.action).filter((a) => a.startsWith('order.cancel'))) });
  }
  if (o.completedAt) {
    list.push({ at: o.completedAt, icon: 'check', title: 'Order completed', key: 'completed',
      act: closestAct(acts, o.completedAt, ['order.complete']) });
  }
  // Texts in one format and time zone sort like the times, to the microsecond.
  return list.map((e, i) => ({ ...e, i })).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.i - b.i));
}
