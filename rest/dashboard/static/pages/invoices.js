// The invoices and credit notes of the store.
import { html } from '../lib.js';
import { useApp, useFilters, useQuery, go } from '../context.js';
import { Page, Empty, Money, Time } from '../ui.js';
import { List } from '../list.js';
import { Filters, FilterInput } from '../filter.js';
import { BulkBar, useSelection } from '../bulk.js';
import { dayRange } from '../dates.js';
import { to } from '../route.js';
import { InvoiceFiles, invoiceFields, kinds, usePrint } from '../invoices.js';

const list = `query Invoices($after: String, $filter: InvoiceFilter) {
  invoices(first: 25, after: $after, filter: $filter) {
    nodes { ${invoiceFields} } pageInfo { hasNextPage endCursor } } }`;

export function Invoices() {
  const { can, zone } = useApp();
  const f = useFilters();
  const { from: createdFrom, to: createdTo } = dayRange(f, zone);
  const filtered = Boolean(f.number || createdFrom || createdTo);
  const query = useQuery(list, { after: f.after || null,
    filter: { number: f.number || undefined, createdFrom, createdTo } });
  const selection = useSelection(query.data?.invoices.nodes, JSON.stringify(f), (i) => i.number);
  const print = usePrint();
  const set = (change) => go(to('/invoices', { ...f, after: '', ...change }));
  const settings = can('store') && html`<a class="button" href=${to('/settings/invoices')}
    data-test="invoice-settings">Settings</a>`;
  const columns = [
    { name: 'number', head: 'Number', main: true, cell: (i) => html`<bdi class="strong">${i.number}</bdi>` },
    { name: 'kind', head: 'Type', cell: (i) => kinds[i.kind] },
    { name: 'order', head: 'Order',
      cell: (i) => html`<a href=${to('/orders/' + i.orderId)}>#${i.orderNumber}</a>` },
    { name: 'date', head: 'Issued', cell: (i) => html`<${Time} at=${i.createdAt} how="date" />` },
    { name: 'total', head: 'Total', end: true,
      cell: (i) => html`<${Money} minor=${i.totalMinor} currency=${i.currency} minus=${i.kind === 'CREDIT_NOTE'} />` },
    { name: 'files', head: '', end: true, cell: (i) => html`<${InvoiceFiles} of=${i} />` },
  ];
  return html`<${Page} title="Invoices" actions=${settings}
    lead="Issued invoices never change. Refunds of their orders add credit notes.">
    <section class="card flush" aria-label="Invoices" data-test="invoices">
      <${Filters} clear=${filtered && to('/invoices')}>
        <${FilterInput} name="number" label="Number" value=${f.number} type="search" set=${set} autocomplete="off"
          placeholder="For example, INV-17" />
        <${FilterInput} name="from" label="From" type="date" value=${f.from} set=${set} />
        <${FilterInput} name="to" label="Until" type="date" value=${f.to} set=${set} />
      <//>
      <${List} query=${query} pick=${(d) => d.invoices} caption="Invoices" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/invoices', { ...f, after })} selection=${selection}
        bulk=${html`<${BulkBar} selection=${selection} actions=${[
          { name: 'print', text: 'Print', act: () => print(selection.rows) }]} />`}
        empty=${html`<${Empty} icon="print" title=${filtered ? 'No invoices match these filters.' : 'No invoices yet'}>
          ${filtered ? html`<a class="button" href=${to('/invoices')}>Show all invoices</a>`
            : 'Issue them on the page of an order, or automatically.'}<//>`} />
    </section>
  <//>`;
}
