// Custom fields: the list and the forms.
import { html, useState } from '../lib.js';
import { useAll, useApp } from '../context.js';
import { Page, Card, Empty, Pending, Button, isolate } from '../ui.js';
import { Table } from '../list.js';
import { Check, ConfirmMutation, Field, FormDialog, Select, errors, transition, useAction } from '../form.js';
import { to } from '../route.js';

const create = `mutation CustomFieldCreate($input: CustomFieldCreateInput!) {
  customFieldCreate(input: $input) { customField { id } ${errors} } }`;
const update = `mutation CustomFieldUpdate($id: ID!, $expectedVersion: Long!, $input: CustomFieldUpdateInput!) {
  customFieldUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { customField { id } ${errors} } }`;
const remove = transition('customFieldDelete', 'deletedId');

const owners = [['PRODUCT', 'Products'], ['VARIANT', 'Variants'], ['ORDER', 'Orders'], ['CUSTOMER', 'Customers']];
const types = [['TEXT', 'Text'], ['NUMBER', 'Number'], ['BOOLEAN', 'Yes or no'], ['DATE', 'Date'],
  ['MONEY', 'Amount of money'], ['URL', 'Web address'], ['LIST', 'List of texts'], ['JSON', 'JSON']];
const titleOf = (list, value) => list.find(([v]) => v === value)?.[1] ?? value;

const shown = (owner) => owner === 'PRODUCT';
const filtered = (owner, type) => type !== 'JSON' && !(owner === 'VARIANT' && type === 'LIST');

export function CustomFieldSettings() {
  const { can } = useApp();
  const all = useAll('customFields', 'id owner name label type visibleInShop filterable version');
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const may = can('editProducts');
  const add = may && html`<${Button} kind="primary" icon="plus" act=${() => setDialog({ edit: {} })}
    test="custom-field-new">New custom field<//>`;
  const columns = [
    { name: 'label', head: 'Label', main: true, cell: (f) => html`<bdi class="strong">${f.label}</bdi>` },
    { name: 'name', head: 'Name', cell: (f) => html`<code>${f.name}</code>` },
    { name: 'type', head: 'Type', cell: (f) => titleOf(types, f.type) },
    { name: 'use', head: 'Use', cell: (f) => [f.visibleInShop && 'Shown in the shop', f.filterable && 'Filterable']
      .filter(Boolean).join(', ') || '–' },
    { name: 'actions', head: '', end: true, cell: (f) => may && html`<span class="row-actions">
      <${Button} kind="small" act=${() => setDialog({ edit: f })} test="custom-field-edit"
        label=${'Edit ' + isolate(f.label)}>Edit<//>
      <${Button} kind="small danger-quiet" act=${() => setDialog({ remove: f })} test="custom-field-delete"
        label=${'Delete ' + isolate(f.label)}>Delete<//></span>` },
  ];
  const groups = owners.map(([owner, title]) => [title, (all.nodes ?? []).filter((f) => f.owner === owner)])
    .filter(([, rows]) => rows.length > 0);
  return html`<${Page} title="Custom fields" actions=${add} back=${{ href: to('/settings'), text: 'Settings' }}
    lead="Fields of your own for products, variants, orders and customers.">
    ${!all.nodes ? html`<${Card}><${Pending} of=${all} rows=${4} /><//>`
      : groups.length === 0 ? html`<${Card}><${Empty} title="No custom fields yet">${add}<//><//>`
      : groups.map(([title, rows]) => html`<${Card} key=${title} title=${title} flush>
        <${Table} caption=${'Custom fields of ' + title.toLowerCase()} columns=${columns} rows=${rows}
          id=${(f) => f.id} /><//>`)}
    ${dialog?.edit && html`<${Edit} of=${dialog.edit} onClose=${close} changed=${all.reload} />`}
    ${dialog?.remove && html`<${Remove} of=${dialog.remove} onClose=${close} changed=${all.reload} />`}
  <//>`;
}

function Edit({ of: f, onClose, changed }) {
  const [owner, setOwner] = useState(f.owner ?? 'PRODUCT');
  const [type, setType] = useState(f.type ?? 'TEXT');
  const action = useAction(f.id ? update : create, (v) => {
    const use = { label: v.get('label'), visibleInShop: v.has('visibleInShop'), filterable: v.has('filterable') };
    return f.id ? { id: f.id, expectedVersion: f.version, input: use }
      : { input: { owner, type, name: (v.get('name') ?? '').trim(), ...use } };
  }, 'Custom field saved.', changed);
  return html`<${FormDialog} title=${f.id ? 'Edit ' + isolate(f.label) : 'New custom field'} name="custom-field"
    submit="Save" onClose=${onClose} action=${action} onStale=${changed}>
    ${!f.id && html`<${Select} name="owner" label="Of" options=${owners} value=${owner}
      onChange=${(e) => setOwner(e.target.value)} />`}
    <${Field} name="label" label="Label" value=${f.label} required maxlength="64" autocomplete="off"
      hint="What people read. For example, Material." />
    ${!f.id && html`<${Field} name="name" label="Name" required maxlength="64" autocomplete="off" autocapitalize="off"
      spellcheck=${false} hint="For themes and programs, such as details.material. It cannot be changed later." />
    <${Select} name="type" label="Type" options=${types} value=${type} onChange=${(e) => setType(e.target.value)}
      hint="It cannot be changed later." />`}
    ${shown(owner) && html`<${Check} name="visibleInShop" label="Show in the shop" value=${f.visibleInShop ?? false}
      hint="Themes can show its values on the product page." />`}
    ${filtered(owner, type) && html`<${Check} name="filterable" label="Filter and search by it"
      value=${f.filterable ?? false} hint=${`At most ${owner === 'VARIANT' ? 5 : 20} fields of ${
        titleOf(owners, owner).toLowerCase()}.`} />`}
  <//>`;
}

function Remove({ of: f, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Delete ' + isolate(f.label) + '?'} name="custom-field-delete" submit="Delete"
    document=${remove} variables=${{ id: f.id, expectedVersion: f.version }} done="Custom field deleted."
    changed=${changed} onClose=${onClose}>
    <p>All values of this field are permanently deleted. Programs and themes that use it no longer find them.</p><//>`;
}
