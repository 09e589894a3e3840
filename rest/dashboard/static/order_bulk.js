// The dialogs of actions on many orders.
import { html } from './lib.js';
import { Bulk, BulkTags } from './bulk.js';
import { Field, errors, text, transition } from './form.js';
import { TrackingList } from './tracking.js';

const fulfill = `mutation Fulfill($id: ID!, $expectedVersion: Long!, $input: FulfillInput!) {
  orderFulfill(id: $id, expectedVersion: $expectedVersion, input: $input) { order { id } ${errors} } }`;
const pay = `mutation MarkPaid($id: ID!, $expectedVersion: Long!, $method: String) {
  orderMarkPaid(id: $id, expectedVersion: $expectedVersion, method: $method) { order { id } ${errors} } }`;
const complete = transition('orderComplete', 'order { id }');
const tag = `mutation Tag($id: ID!, $expectedVersion: Long!, $input: OrderUpdateInput!) {
  orderUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { order { id } ${errors} } }`;

const head = (o) => ({ id: o.id, expectedVersion: o.version });

function FulfillAll(props) {
  const act = (o, v, run) => (o.status === 'OPEN' && o.fulfillmentStatus !== 'FULFILLED'
    ? run(fulfill, { ...head(o), input: {} }).then(() => 'Fulfilled') : 'Nothing left to fulfill');
  return html`<${Bulk} title="Fulfill selected orders" submit="Fulfill" name="bulk-fulfill" act=${act} ...${props}>
    <p>Fulfills all remaining items of each order, without a tracking number.</p><//>`;
}

function PayAll(props) {
  const act = (o, v, run) => (o.status !== 'CANCELLED' && o.totalMinor > o.paidMinor
    ? run(pay, { ...head(o), method: text(v, 'method') }).then(() => 'Paid') : 'Nothing left to pay');
  return html`<${Bulk} title="Mark selected orders as paid" submit="Mark as paid" name="bulk-paid" act=${act}
    ...${props}><p>Records a payment of the full outstanding amount of each order.</p>
    <${Field} name="method" label="Method" optional hint="For example, bank transfer or cash." maxlength="64" /><//>`;
}

function CompleteAll(props) {
  const act = (o, v, run) => (o.status === 'OPEN' ? run(complete, head(o)).then(() => 'Completed') : 'Not open');
  return html`<${Bulk} title="Complete selected orders" submit="Complete" name="bulk-complete" act=${act} ...${props}>
    <p>Closes orders with all items fulfilled. You can still refund them.</p><//>`;
}

const TagAll = (props) => html`<${BulkTags} document=${tag} ...${props} />`;
const TrackAll = (props) => html`<${TrackingList} document=${fulfill} ...${props} />`;

const dialogs = { fulfill: FulfillAll, paid: PayAll, complete: CompleteAll, tags: TagAll, tracking: TrackAll };

/** The dialog of an action, by its name; none if the name is empty. */
export function OrderBulk({ name, ...props }) {
  const Opened = dialogs[name];
  return Opened && html`<${Opened} ...${props} />`;
}
