// Creating and editing a customer.
import { html } from '../lib.js';
import { useQuery, go } from '../context.js';
import { Page, Card, Empty, Pending, humanize } from '../ui.js';
import { Form, Field, Area, Select, Check, FieldError, tagsText, tags, text, useAction, errors } from '../form.js';
import { AddressFields, addressFields, addressOf } from '../address_fields.js';
import { to } from '../route.js';

const read = `query CustomerEdit($id: ID!) { customer(id: $id) { id email phone firstName lastName displayName status
  locale emailMarketing taxExempt tags note version defaultAddress { ${addressFields} } } }`;
const create = `mutation CustomerCreate($input: CustomerCreateInput!) {
  customerCreate(input: $input) { customer { id } ${errors} } }`;
const update = `mutation CustomerUpdate($id: ID!, $expectedVersion: Long!, $input: CustomerUpdateInput!) {
  customerUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { customer { id } ${errors} } }`;

const input = (v, before = {}) => ({
  email: text(v, 'email'), phone: text(v, 'phone'), firstName: text(v, 'firstName'), lastName: text(v, 'lastName'),
  locale: text(v, 'locale'), emailMarketing: v.get('emailMarketing'), taxExempt: v.has('taxExempt'),
  tags: tags(v, 'tags', before.tags),
  note: v.get('note') || null, defaultAddress: addressOf(v, 'defaultAddress'),
});

function Inputs({ of: c = {} }) {
  return html`<div class="split"><div class="stack">
    <${Card} title="Person">
      <div class="pair"><${Field} name="firstName" label="First name" optional value=${c.firstName} maxlength="255" />
        <${Field} name="lastName" label="Last name" optional value=${c.lastName} maxlength="255" /></div>
      <${Field} name="email" label="Email" type="email" optional value=${c.email} maxlength="254" autocomplete="off" />
      <${Field} name="phone" label="Phone" type="tel" optional value=${c.phone} maxlength="64" autocomplete="off" />
    <//>
    <${Card} title="Address">
      <${AddressFields} name="defaultAddress" legend="Default address" of=${c.defaultAddress} /><//>
  </div><div class="stack"><${Card} title="More">
    <${Select} name="emailMarketing" label="Marketing emails" value=${c.emailMarketing ?? 'NOT_SUBSCRIBED'}
      options=${['NOT_SUBSCRIBED', 'SUBSCRIBED', 'UNSUBSCRIBED'].map((s) => [s, humanize(s)])} />
    <${Check} name="taxExempt" label="Tax-exempt" value=${c.taxExempt}
      hint="Applies to orders that staff create, with prices that the store calculates." />
    <${Field} name="locale" label="Language" optional value=${c.locale} maxlength="35"
      hint="For example, de or en-GB." />
    <${Field} name="tags" label="Tags" optional value=${tagsText(c.tags)} hint="Separate tags with commas." />
    <${Area} name="note" label="Note" optional value=${c.note} maxlength="5000" /><//></div></div>`;
}

export function CustomerNew() {
  const action = useAction(create, (v) => {
    if (['firstName', 'lastName', 'email', 'phone'].every((name) => !text(v, name))) {
      throw new FieldError('firstName', 'Enter a name, an email address or a phone number.');
    }
    return { input: input(v) };
  }, 'Customer created.', ({ customer }) => go(to('/customers/' + customer.id), { replace: true }));
  return html`<${Page} title="New customer" back=${{ href: to('/customers'), text: 'Customers' }}>
    <${Form} name="customer" submit="Create customer" busyText="Creating" action=${action}><${Inputs} /><//><//>`;
}

export function CustomerEdit({ id }) {
  const query = useQuery(read, { id });
  const c = query.data?.customer;
  const there = to('/customers/' + id);
  const action = useAction(update, (v) => ({ id, expectedVersion: c.version, input: input(v, c) }), 'Customer saved.',
    () => go(there, { replace: true }));
  return html`<${Page} title=${c ? 'Edit ' + c.displayName : 'Edit customer'} back=${{ href: there, text: 'Customer' }}>
    ${!query.data ? html`<${Card}><${Pending} of=${query} rows=${8} /><//>`
      : !c || c.status === 'REDACTED' ? html`<${Empty} icon="customers"
          title="This customer does not exist or has been redacted." />`
      : html`<${Form} name="customer" action=${action} onStale=${query.reload}><${Inputs} of=${c} /><//>`}
  <//>`;
}
