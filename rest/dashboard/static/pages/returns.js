// The returns of the store: what shoppers want to give back.
import { html } from '../lib.js';
import { useFilters, useQuery, go } from '../context.js';
import { Badge, Empty, Page, Time } from '../ui.js';
import { List } from '../list.js';
import { Filters, FilterSelect } from '../filter.js';
import { to } from '../route.js';
import { ReturnActions, ReturnText, returnFields, returnStates, useReturnDialog } from '../returns.js';

const list = `query Returns($after: String, $filter: ReturnFilter) {
  returns(first: 25, after: $after, filter: $filter) {
    nodes { ${returnFields} } pageInfo { hasNextPage endCursor } } }`;

export function Returns() {
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null, filter: { state: f.state || undefined } });
  const set = (change) => go(to('/returns', { ...f, after: '', ...change }));
  const { open, dialog } = useReturnDialog(query.data?.returns.nodes, query.refresh);
  const columns = [
    { name: 'order', head: 'Order', main: true,
      cell: (r) => html`<a class="strong" href=${to('/orders/' + r.order.id)}>#${r.order.number}</a>` },
    { name: 'items', head: 'Items', cell: (r) => html`<${ReturnText} of=${r} />` },
    { name: 'state', head: 'Status', cell: (r) => html`<${Badge} value=${r.state} />` },
    { name: 'date', head: 'Requested', cell: (r) => html`<${Time} at=${r.createdAt} />` },
    { name: 'actions', head: '', end: true, cell: (r) => html`<${ReturnActions} of=${r} open=${open}
      changed=${query.refresh} />` },
  ];
  return html`<${Page} title="Returns" lead="Items that shoppers send back. Create returns on the page of an order.">
    <section class="card flush" aria-label="Returns" data-test="returns">
      <${Filters} clear=${f.state && to('/returns')}>
        <${FilterSelect} name="state" label="Status" value=${f.state} values=${returnStates} set=${set} />
      <//>
      <${List} query=${query} pick=${(d) => d.returns} caption="Returns" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/returns', { ...f, after })}
        empty=${html`<${Empty} icon="undo" title=${f.state ? 'No returns have this status.' : 'No returns yet'}>
          ${f.state && html`<a class="button" href=${to('/returns')}>Show all returns</a>`}<//>`} />
    </section>
    ${dialog}
  <//>`;
}
