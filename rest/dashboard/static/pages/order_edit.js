// Editing an order's contact, tags and addresses.
import { html } from '../lib.js';
import { useQuery, go } from '../context.js';
import { Page, Card, Pending } from '../ui.js';
import { Form, Field, tagsText, tags, text, useAction } from '../form.js';
import { AddressFields, addressFields, addressOf } from '../address_fields.js';
import { to } from '../route.js';

const read = `query OrderEdit($id: ID!) { order(id: $id) { id number externalNumber email tags version
  shippingAddress { ${addressFields} } billingAddress { ${addressFields} } } }`;
const update = `mutation OrderUpdate($id: ID!, $expectedVersion: Long!, $input: OrderUpdateInput!) {
  orderUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) {
    order { id } userErrors { code message path } } }`;

export function OrderEdit({ id }) {
  const query = useQuery(read, { id });
  const o = query.data?.order;
  const there = to('/orders/' + id);
  const action = useAction(update, (v) => ({ id, expectedVersion: o.version, input: {
    email: text(v, 'email'), tags: tags(v, 'tags', o.tags), externalNumber: text(v, 'externalNumber'),
    shippingAddress: addressOf(v, 'shippingAddress'), billingAddress: addressOf(v, 'billingAddress'),
  } }), 'Order saved.', () => go(there, { replace: true }));
  return html`<${Page} title=${o ? 'Edit order #' + o.number : 'Edit order'} back=${{ href: there, text: 'Order' }}>
    ${!query.data ? html`<${Card}><${Pending} of=${query} rows=${8} /><//>`
      : !o ? html`<p>This order does not exist.</p>`
      : html`<${Form} name="order-edit" action=${action} onStale=${query.reload}>
        <${Card} title="Contact"><${Field} name="email" label="Email" type="email" optional value=${o.email}
            maxlength="254" />
          <${Field} name="tags" label="Tags" optional value=${tagsText(o.tags)} hint="Separate tags with commas." />
          <${Field} name="externalNumber" label="External number" optional value=${o.externalNumber} maxlength="64"
            hint="For example, #1007: the order's number in another system." /><//>
        <${Card} title="Addresses">
          <${AddressFields} name="shippingAddress" legend="Ship to" of=${o.shippingAddress} />
          <${AddressFields} name="billingAddress" legend="Bill to" of=${o.billingAddress} /><//><//>`}
  <//>`;
}
