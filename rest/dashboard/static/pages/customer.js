import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters } from '../context.js';
import { Page, Card, Badge, Money, Time, Empty, Facts, MissingPage, Button, humanize } from '../ui.js';
import { List } from '../list.js';
import { ActionButton, ConfirmMutation, transition, useMutation } from '../form.js';
import { mutation } from '../api.js';
import { CopyValue } from '../copy.js';
import { Icon } from '../icons.js';
import { CustomFields } from '../custom_fields.js';
import { to } from '../route.js';
import { orderColumns } from '../order_columns.js';
import { Address } from './order.js';
import { addressFields } from '../address_fields.js';

const read = `query Customer($id: ID!) { customer(id: $id) {
  id email phone firstName lastName displayName status locale emailMarketing emailMarketingAt emailMarketingSource
  defaultAddress { ${addressFields} } addresses { ${addressFields} } tags note
  ordersCount totalSpentMinor currency lastOrderAt version createdAt updatedAt customFields } }`;
const orders = `query CustomerOrders($after: String, $filter: OrderFilter) {
  orders(first: 10, after: $after, filter: $filter) {
  nodes { id number externalNumber placedAt status financialStatus fulfillmentStatus totalMinor currency email }
  pageInfo { hasNextPage endCursor } } }`;
const move = (name) => transition(name, 'customer { id version }');

const chosenBy = { ACCOUNT: 'by the customer, in their account', STAFF: 'by your staff', API: 'by an app or key',
  IMPORT: 'by an import' };

const back = { href: to('/customers'), text: 'Customers' };

export function Customer({ id }) {
  const { can } = useApp();
  const f = useFilters();
  const query = useQuery(read, { id });
  const placed = useQuery(orders, { after: f.after || null, filter: { customerId: id } });
  const [redacting, setRedacting] = useState(false);
  const c = query.data?.customer;
  if (!c) {
    return html`<${MissingPage} query=${query} name="Customer" icon="customers" back=${back} rows=${6} />`;
  }
  const may = can('editCustomers') && c.status !== 'REDACTED';
  const actions = may && html`
    ${c.status !== 'DISABLED' && html`<a class="button primary" href=${to('/orders/new', { customer: c.id })}
      data-test="customer-order"><${Icon} name="plus" size="16" />New order</a>`}
    <a class="button" href=${to('/customers/' + c.id + '/edit')} data-test="customer-edit">
      <${Icon} name="pencil" size="16" />Edit</a>
    ${c.status === 'DISABLED'
      ? html`<${ToggleButton} key="enable" name="customerEnable" customer=${c} label="Enable"
          done="Customer enabled." changed=${query.reload} />`
      : html`<${ToggleButton} key="disable" name="customerDisable" customer=${c} label="Disable"
          done="Customer disabled." changed=${query.reload} />`}
    <${Button} kind="danger-quiet" act=${() => setRedacting(true)} test="customer-redact">Redact<//>`;
  const others = c.addresses.filter((a) => JSON.stringify(a) !== JSON.stringify(c.defaultAddress));
  return html`<${Page} title=${c.displayName} back=${back} badges=${html`<${Badge} value=${c.status} />`}
    actions=${actions}>
    <div class="split">
      <div class="stack">
        <${Card} title="Orders" flush name="customer-orders">
          <${List} query=${placed} pick=${(d) => d.orders} caption="Orders of this customer"
            columns=${orderColumns({ person: false }).filter((x) => x.name !== 'state')}
            paged=${Boolean(f.after)} address=${(after) => to('/customers/' + id, { after })}
            empty=${html`<${Empty} icon="orders" title="No orders" />`} />
        <//>
        ${c.note && html`<${Card} title="Note"><p class="verbatim">${c.note}</p><//>`}
        <${CustomFields} owner="CUSTOMER" id=${c.id} version=${c.version} values=${c.customFields} may=${may}
          changed=${query.refresh} stale=${query.refresh} />
      </div>
      <div class="stack">
        <${Card} title="Customer"><${Facts} rows=${[
          ['Email', c.email && html`<${CopyValue} text=${c.email} what="the email">${c.email}<//>`],
          ['Phone', c.phone], ['Marketing emails', html`<${Consent} of=${c} />`],
          ['Language', c.locale],
          ['Orders', c.ordersCount.toLocaleString()],
          ['Total spent', html`<${Money} minor=${c.totalSpentMinor} currency=${c.currency} />`],
          ['Last order', c.lastOrderAt && html`<${Time} at=${c.lastOrderAt} how="date" />`],
          ['Customer since', html`<${Time} at=${c.createdAt} how="date" />`],
          ['Tags', c.tags.length > 0 &&
            html`<span class="tags">${c.tags.map((t) => html`<bdi class="tag" key=${t}>${t}</bdi>`)}</span>`],
          ['ID', html`<${CopyValue} text=${c.id} what="the ID" />`],
        ]} /><//>
        ${(c.defaultAddress || others.length > 0) && html`<${Card} title="Addresses">
          ${c.defaultAddress && html`<h3>Default</h3><${Address} of=${c.defaultAddress} />`}
          ${others.map((a, i) => html`<${Address} key=${i} of=${a} />`)}
        <//>`}
      </div>
    </div>
    ${redacting && html`<${Redact} customer=${c} onClose=${() => setRedacting(false)} changed=${query.reload} />`}
  <//>`;
}

// Consent shows whether a customer wants marketing emails, and since when and by whom.
function Consent({ of: c }) {
  return html`${humanize(c.emailMarketing)}${c.emailMarketingAt && html` since
    <${Time} at=${c.emailMarketingAt} how="date" />, ${chosenBy[c.emailMarketingSource]}`}`;
}

function ToggleButton({ name, customer: c, label, done, changed }) {
  const run = useMutation(move(name));
  return html`<${ActionButton} done=${done} onStale=${changed} data-test=${name} run=${async () => {
    const { version } = (await run({ id: c.id, expectedVersion: c.version })).customer;
    changed();
    return c.status === 'GUEST' ? null : async () => { // the state GUEST cannot be restored
      const back = name === 'customerDisable' ? 'customerEnable' : 'customerDisable';
      await mutation(move(back))({ id: c.id, expectedVersion: version });
      changed();
    };
  }}>${label}<//>`;
}

function Redact({ customer: c, onClose, changed }) {
  return html`<${ConfirmMutation} title="Redact this customer?" name="customer-redact" submit="Redact customer"
    document=${move('customerRedact')} variables=${{ id: c.id, expectedVersion: c.version }}
    done="Customer redacted."
    changed=${changed} onClose=${onClose}>
    <p>This removes the personal data of <strong><bdi>${c.displayName}</bdi></strong> and cannot be undone:</p>
    <ul class="points">
      <li>name, email, phone, language, note, tags and addresses are deleted;</li>
      <li>the email and the addresses of all their orders are deleted;</li>
      <li>the same data is removed from stored events, and exports that contain it are deleted;</li>
      <li>orders, amounts and counts are kept for the store's accounts;</li>
      <li>issued invoices keep the name and address, since the law requires stores to keep them for years.</li>
    </ul>
  <//>`;
}
