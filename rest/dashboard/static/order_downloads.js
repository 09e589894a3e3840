// The files of an order that its shopper downloads.
import { html } from './lib.js';
import { useApp, useQuery } from './context.js';
import { Card, Time } from './ui.js';
import { ActionButton, useMutation, errors } from './form.js';

const read = `query OrderDownloads($id: ID!) { orderDownloads(orderId: $id) {
  lineItemId title filename used allowed lastAt } }`;
const reset = `mutation OrderDownloadsReset($id: ID!) { orderDownloadsReset(orderId: $id) { ${errors} } }`;

export function OrderDownloads({ order: o }) {
  const { can } = useApp();
  const query = useQuery(read, { id: o.id });
  const run = useMutation(reset, { once: false });
  const list = query.data?.orderDownloads ?? [];
  if (list.length === 0) {
    return null;
  }
  const resetAll = async () => {
    await run({ id: o.id });
    query.refresh();
  };
  return html`<${Card} title="Downloads" name="order-downloads">
    <ul class="sessions">${list.map((d) => html`<li key=${d.lineItemId}><div class="grow">
      <p class="line-title"><bdi>${d.title}</bdi></p><p class="muted"><bdi>${d.filename}</bdi></p>
      <p class="muted">${d.allowed === 0 ? 'Not available: the order is unpaid, refunded or canceled.'
        : d.used + ' of ' + d.allowed + ' downloads used'}
        ${d.lastAt && html`, last <${Time} at=${d.lastAt} />`}</p></div></li>`)}</ul>
    ${can('notes') && list.some((d) => d.used > 0) && html`<p class="actions under"><${ActionButton} kind="small"
      run=${resetAll} done="Downloads reset." test="downloads-reset">Reset downloads<//></p>`}
  <//>`;
}
