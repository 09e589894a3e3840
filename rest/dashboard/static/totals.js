import { html } from './lib.js';
import { Money } from './ui.js';
import { shownTaxes } from './order_state.js';

/** The amounts of an order or a preview as a table. all includes amounts of zero. */
export function Totals({ of: o, caption, all = true }) {
  const { shipping, added, included } = shownTaxes(o);
  const rows = [
    ['Subtotal', o.subtotalMinor, all], ['Discount', o.discountMinor, false, true], ['Shipping', shipping, all],
    ...added, ['Total', o.totalMinor, true], ...included,
    ['Paid', o.paidMinor, all && o.paidMinor != null], ['Refunded', o.refundedMinor, false, true],
  ];
  return html`<table class="sums" data-test="order-sums"><caption class="visually-hidden">${caption}</caption><tbody>
    ${rows.filter(([, minor, always]) => always || minor > 0).map(([name, minor, , minus]) => html`<tr key=${name}
      class=${name === 'Total' ? 'strong' : ''}><th scope="row">${name}</th>
      <td class="end"><${Money} minor=${minor} currency=${o.currency} minus=${minus} /></td></tr>`)}
  </tbody></table>`;
}
