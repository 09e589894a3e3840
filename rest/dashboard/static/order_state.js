// What the state of an order means. Nothing here touches the page.

/** What of a line is still to be shipped: refunded units are shipped no more. */
export const left = (l) => Math.max(0, l.quantity - l.fulfilledQuantity - l.refundedQuantity);

/** What the state of an order allows (the server has the last word). */
export function allowed(o) {
  return {
    pay: o.status !== 'CANCELLED' && o.totalMinor > o.paidMinor,
    refund: o.paidMinor > o.refundedMinor,
    fulfill: o.status === 'OPEN' && o.fulfillmentStatus !== 'FULFILLED' && o.lineItems.some((l) => left(l) > 0),
    cancel: o.status === 'OPEN' && o.fulfillmentStatus === 'UNFULFILLED',
    complete: o.status === 'OPEN' && o.fulfillmentStatus === 'FULFILLED',
  };
}

/**
 * Shipping and tax as people read them: shipping as the store entered it, and all added tax as one sum. An order keeps
 * the tax on shipping within shipping: it is the only included tax where that of the goods is added.
 */
export function shownTax({ shippingMinor: shipping, taxMinor: tax, includedTaxMinor }) {
  const included = includedTaxMinor ?? 0;
  return tax === 0 || included > shipping ? { shipping, tax, included }
    : { shipping: shipping - included, tax: tax + included, included: 0 };
}

/** What people did that has no row of its own. */
const changes = { 'order.update': 'Order changed', 'order.email_withhold': 'Email to the shopper not sent' };

/** How far apart, in milliseconds, the rows of one transaction are at most. */
const apart = 5000;

/** The act of one of some actions that was done at the time; each is of one thing. */
function actAt(acts, at, actions) {
  const far = (a) => Math.abs(Date.parse(a.createdAt) - Date.parse(at));
  const fits = acts.filter((a) => actions.includes(a.action) && far(a) <= apart).sort((a, b) => far(a) - far(b));
  return fits[0];
}

/** Everything that happened to the order, oldest first, and by whom where the audit log knows. */
export function events(o) {
  const acts = o.acts ?? [];
  const made = acts.find((a) => a.action === 'order.create' || a.action === 'order.place');
  const list = [{ at: o.placedAt, icon: 'orders', title: 'Order placed', key: 'placed', act: made }];
  for (const a of acts.filter((a) => changes[a.action])) {
    list.push({ at: a.createdAt, icon: 'pencil', title: changes[a.action], key: a.id, act: a });
  }
  for (const p of o.payments ?? []) {
    const back = p.kind === 'REFUND';
    list.push({
      at: p.createdAt, icon: back ? 'undo' : 'money', key: p.id, payment: p, title: back ? 'Refund' : 'Payment',
      refund: o.providerRefunds?.find((r) => r.paymentId === p.id),
      act: actAt(acts, p.createdAt, back ? ['order.refund', 'order.cancel']
        : ['order.mark_paid', 'order.record_payment', 'order.pay_online']),
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
      act: actAt(acts, f.createdAt, ['order.fulfill']) });
  }
  for (const n of o.notes ?? []) {
    const title = n.visibility === 'CUSTOMER' ? 'Note for the customer' : 'Internal note';
    list.push({ at: n.createdAt, icon: 'note', key: n.id, note: n, title });
  }
  if (o.cancelledAt) {
    list.push({ at: o.cancelledAt, icon: 'close', title: 'Order cancelled', key: 'cancelled',
      act: actAt(acts, o.cancelledAt, acts.map((a) => a.action).filter((a) => a.startsWith('order.cancel'))) });
  }
  if (o.completedAt) {
    list.push({ at: o.completedAt, icon: 'check', title: 'Order completed', key: 'completed',
      act: actAt(acts, o.completedAt, ['order.complete']) });
  }
  // Texts of one form and one zone sort as the times do, to the microsecond.
  return list.map((e, i) => ({ ...e, i })).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.i - b.i));
}
