// Locations: the list and the forms.
import { html, useState } from '../lib.js';
import { useAll } from '../context.js';
import { Page, Card, Pending, Button, Badge, isolate } from '../ui.js';
import { Table } from '../list.js';
import {
  ActionButton, Check, ConfirmMutation, Field, FormDialog, errors, transition, useAction, useMutation,
} from '../form.js';
import { AddressFields, addressFields, addressOf } from '../address_fields.js';
import { settings } from '../selling.js';

const create = `mutation LocationCreate($input: LocationCreateInput!) {
  locationCreate(input: $input) { location { id } ${errors} } }`;
const update = `mutation LocationUpdate($id: ID!, $expectedVersion: Long!, $input: LocationUpdateInput!) {
  locationUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { location { id } ${errors} } }`;
const reorder = `mutation LocationReorder($ids: [ID!]!) {
  locationReorder(ids: $ids) { locations { id } ${errors} } }`;
const close = transition('locationClose', 'location { id }');

const use = (l) => [l.isDefault && 'Default', l.sellsOnline ? 'Sells online' : 'Not sold online',
  l.picksUp && 'Pickup'].filter(Boolean).join(', ');

export function Locations() {
  const all = useAll('locations',
    `id name address { ${addressFields} } isDefault position sellsOnline picksUp closedAt version`);
  const [dialog, setDialog] = useState(null);
  const done = () => setDialog(null);
  const run = useMutation(reorder);
  const open = (all.nodes ?? []).filter((l) => !l.closedAt).sort((a, b) => a.position - b.position);
  const closed = (all.nodes ?? []).filter((l) => l.closedAt);
  const up = (i) => async () => {
    const ids = open.map((l) => l.id);
    ids.splice(i - 1, 0, ...ids.splice(i, 1));
    await run({ ids });
    all.reload();
  };
  const add = html`<${Button} kind="primary" icon="plus" act=${() => setDialog({ edit: {} })}
    test="location-new">New location<//>`;
  const columns = [
    { name: 'name', head: 'Name', main: true, cell: (l) => html`<bdi class="strong">${l.name}</bdi>` },
    { name: 'use', head: 'Use', cell: use },
    { name: 'city', head: 'City', cell: (l) => html`<bdi>${l.address?.city ?? '–'}</bdi>` },
    { name: 'actions', head: '', end: true, cell: (l) => html`<span class="row-actions">
      ${open.indexOf(l) > 0 && html`<${ActionButton} kind="small" run=${up(open.indexOf(l))} done="Order saved."
        onStale=${all.reload} label=${'Move ' + isolate(l.name) + ' up'}>Move up<//>`}
      <${Button} kind="small" act=${() => setDialog({ edit: l })} test="location-edit"
        label=${'Edit ' + isolate(l.name)}>Edit<//>
      ${!l.isDefault && html`<${Button} kind="small danger-quiet" act=${() => setDialog({ close: l })}
        test="location-close" label=${'Close ' + isolate(l.name)}>Close<//>`}</span>` },
  ];
  return html`<${Page} title="Locations" back=${settings} actions=${add}
    lead="Places where you keep stock. Orders take stock from them in this order.">
    <${Card} title="Locations" flush>${!all.nodes ? html`<${Pending} of=${all} rows=${3} />`
      : html`<${Table} caption="Locations" columns=${columns} rows=${open} id=${(l) => l.id} />`}<//>
    ${closed.length > 0 && html`<${Card} title="Closed"><ul class="plain">${closed.map((l) => html`<li key=${l.id}>
      <bdi>${l.name}</bdi> <${Badge} value="CLOSED" text="Closed" /></li>`)}</ul><//>`}
    ${dialog?.edit && html`<${Edit} of=${dialog.edit} onClose=${done} changed=${all.reload} />`}
    ${dialog?.close && html`<${Close} of=${dialog.close} onClose=${done} changed=${all.reload} />`}
  <//>`;
}

function Edit({ of: l, onClose, changed }) {
  const action = useAction(l.id ? update : create, (v) => {
    const input = { name: v.get('name'), address: addressOf(v, 'address'), picksUp: v.has('picksUp') };
    if (!l.isDefault) {
      input.sellsOnline = v.has('sellsOnline');
    }
    return l.id ? { id: l.id, expectedVersion: l.version, input } : { input };
  }, 'Location saved.', changed);
  return html`<${FormDialog} title=${l.id ? 'Edit ' + isolate(l.name) : 'New location'} name="location"
    submit="Save" onClose=${onClose} action=${action} onStale=${changed}>
    <${Field} name="name" label="Name" value=${l.name} required maxlength="255" autocomplete="off"
      hint="For example, Main warehouse." />
    <${AddressFields} name="address" legend="Address" of=${l.address} />
    ${!l.isDefault && html`<${Check} name="sellsOnline" label="Sell its stock in the shop"
      value=${l.sellsOnline ?? true} hint="Only changes while the location has no stock." />`}
    <${Check} name="picksUp" label="Shoppers can collect orders here" value=${l.picksUp ?? false} />
  <//>`;
}

function Close({ of: l, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Close ' + isolate(l.name) + '?'} name="location-close" submit="Close"
    document=${close} variables=${{ id: l.id, expectedVersion: l.version }} done="Location closed."
    changed=${changed} onClose=${onClose}>
    <p>It no longer takes part in orders and cannot be opened again. Transfer its stock first.</p><//>`;
}
