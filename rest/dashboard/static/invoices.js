// Invoices: their files, and how staff issue and print them.
import { html, useState } from './lib.js';
import { useApp, useQuery } from './context.js';
import { messageOf, mutation, send } from './api.js';
import { Alert, Button, Card, Dialog, Money, Pending, Time } from './ui.js';
import { errors } from './form.js';

const most = 100; // of one request

export const invoiceFields = 'id kind number orderId orderNumber totalMinor currency createdAt printUrl xmlUrl';
export const kinds = { INVOICE: 'Invoice', CREDIT_NOTE: 'Credit note' };

const ofOrder = `query OrderInvoices($id: ID!) { invoices(filter: { orderId: $id }) { nodes { ${invoiceFields} } } }`;
const address = 'query PrintInvoices($ids: [ID!]!) { invoicesPrintUrl(ids: $ids) }';
const issue = `mutation InvoicesIssue($orderIds: [ID!]!) {
  invoicesIssue(orderIds: $orderIds) { invoices { id number } ${errors} } }`;

/** The links of an invoice. */
export function InvoiceFiles({ of: i }) {
  return html`<span class="row-actions">
    <a class="button small" href=${i.printUrl} target="_blank" rel="noreferrer" data-test="invoice-print"
      aria-label=${'Print ' + i.number}>Print</a>
    <a class="button small quiet" href=${i.xmlUrl} data-test="invoice-xml"
      aria-label=${'XML file of ' + i.number}>XML</a></span>`;
}

/** Opens a page with invoices to print. */
export function usePrint() {
  const { notify } = useApp();
  return async (invoices) => {
    const page = window.open('', '_blank'); // at once, or the browser blocks it
    try {
      const { data } = await send(address, { ids: invoices.map((i) => i.id) });
      page.opener = null;
      page.location = data.invoicesPrintUrl;
    } catch (err) {
      page?.close();
      notify(messageOf(err), 'bad');
    }
  };
}

/** The invoices of an order, on its page. */
export function OrderInvoices({ order: o }) {
  const { can, notify } = useApp();
  const query = useQuery(ofOrder, { id: o.id });
  const list = query.data?.invoices.nodes.toReversed();
  const run = async () => {
    try {
      await mutation(issue)({ orderIds: [o.id] });
      notify('Invoice issued.');
    } catch (err) {
      notify(messageOf(err), 'bad');
    }
    query.reload();
  };
  return html`<${Card} title="Invoices" name="order-invoices">
    ${!list ? html`<${Pending} of=${query} rows=${1} />`
      : list.length === 0 ? html`<p class="muted">No invoice yet.</p>
          ${can('money') && o.status !== 'CANCELLED' && html`<${Button} act=${run} test="invoice-issue">
            Issue invoice<//>`}`
      : html`<ul class="link-list">${list.map((i) => html`<li key=${i.id}>
          <p class="grow">${kinds[i.kind]} <bdi class="strong">${i.number}</bdi>${', '}
            <${Time} at=${i.createdAt} how="date" />${', '}
            <${Money} minor=${i.totalMinor} currency=${i.currency} minus=${i.kind === 'CREDIT_NOTE'} /></p>
          <${InvoiceFiles} of=${i} /></li>`)}</ul>`}
  <//>`;
}

/** Issues the invoices of the selected orders and prints them. */
export function BulkInvoices({ selection, onClose, changed }) {
  const [rows] = useState(selection.rows);
  const [state, setState] = useState({});
  const print = usePrint();
  const run = async () => {
    setState({ busy: true });
    try {
      const issued = [];
      for (let i = 0; i < rows.length; i += most) {
        const done = await mutation(issue)({ orderIds: rows.slice(i, i + most).map((o) => o.id) });
        issued.push(...done.invoices);
      }
      setState({ issued });
    } catch (err) {
      setState({ failed: messageOf(err) });
    }
  };
  const close = () => {
    onClose();
    if (state.issued) {
      changed();
    }
  };
  const count = rows.length + (rows.length === 1 ? ' order' : ' orders');
  return html`<${Dialog} title="Invoices" onClose=${close} name="bulk-invoices-dialog">
    ${state.failed && html`<${Alert} tone="bad">${state.failed}<//>`}
    ${state.issued ? html`<p role="status">${state.issued.length} invoices and credit notes of ${count}.</p>`
      : html`<p>Issues the invoices of ${count}. Orders that have one keep it. An invoice cannot be changed later.</p>`}
    <div class="form-end under">
      ${state.issued
        ? html`<${Button} act=${close}>Close<//>
          <${Button} kind="primary" act=${() => print(state.issued.slice(0, most))}
            test="bulk-invoices-print">${state.issued.length > most ? `Print the first ${most}` : 'Print'}<//>`
        : html`<${Button} act=${close}>Cancel<//><${Button} kind="primary" act=${run} disabled=${state.busy}
            test="bulk-invoices-issue">Issue<//>`}
    </div><//>`;
}
