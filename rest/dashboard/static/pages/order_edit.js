// What of an order can still be changed: where it goes, whom it is told to, its tags.
import { html } from '../lib.js';
import { useApp, useQuery, go } from '../context.js';
import { Page, Card, Trouble, Waiting } from '../ui.js';
import { Form, Field, shownTags, tags, text, useMutation } from '../form.js';
import { AddressFields, addressFields, addressOf } from '../address_fields.js';
import { to } from '../route.js';

const read = `query OrderEdit($id: ID!) { order(id: $id) { id number email tags version
  shippingAddress { ${addressFields} } billingAddress { ${addressFields} } } }`;
const update = `mutation OrderUpdate($id: ID!, $expectedVersion: Long!, $input: OrderUpdateInput!) {
  orderUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) {
    order { id } userErrors { code message path } } }`;

export function OrderEdit({ id }) {
  const { notify } = useApp();
  const query = useQuery(read, { id });
  const run = useMutation(update);
  const o = query.data?.order;
  const there = to('/orders/' + id);
  const action = async (v) => {
    await run({ id, expectedVersion: o.version, input: { email: text(v, 'email'), tags: tags(v, 'tags', o.tags),
      shippingAddress: addressOf(v, 'shippingAddress'), billingAddress: addressOf(v, 'billingAddress') } });
    notify('The order is saved.');
    go(there, { replace: true });
  };
  return html`<${Page} title=${o ? 'Edit order #' + o.number : 'Edit order'} back=${{ href: there, text: 'Order' }}>
    ${query.failure ? html`<${Trouble} failure=${query.failure} reload=${query.reload} />`
      : !query.data ? html`<${Card}><${Waiting} rows=${8} /><//>`
      : !o ? html`<p>There is no such order in this store.</p>`
      : html`<${Form} name="order-edit" action=${action} onStale=${query.reload}>
        <${Card} title="Contact"><${Field} name="email" label="E-mail" type="email" optional value=${o.email}
            maxlength="254" />
          <${Field} name="tags" label="Tags" optional value=${shownTags(o.tags)} hint="Parted by commas." /><//>
        <${Card} title="Addresses">
          <${AddressFields} name="shippingAddress" legend="Ships to" of=${o.shippingAddress} />
          <${AddressFields} name="billingAddress" legend="Bill to" of=${o.billingAddress} /><//><//>`}
  <//>`;
}
