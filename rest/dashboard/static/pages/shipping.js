// Shipping zones and rates.
import { html, useState } from '../lib.js';
import { useAll, useApp, useQuery } from '../context.js';
import { Page, Card, Empty, Facts, Pending, Button, isolate } from '../ui.js';
import {
  Amount, Check, Field, FormDialog, Select, ConfirmMutation, amount, transition, useAction, errors, optionalAmount,
  optionalNumber,
} from '../form.js';
import { Rows, rowsOf } from '../rows.js';
import { money } from '../money.js';
import { Countries, countryName } from '../countries.js';
import { settings } from '../selling.js';

const read = `{ shippingZones { id name countries restOfWorld version
  rates { id name kind locationId priceMinor leastMinor mostMinor leastGrams mostGrams freeFromMinor } } }`;
const create = `mutation ShippingZoneCreate($input: ShippingZoneInput!) {
  shippingZoneCreate(input: $input) { shippingZone { id } ${errors} } }`;
const update = `mutation ShippingZoneUpdate($id: ID!, $expectedVersion: Long!, $input: ShippingZoneInput!) {
  shippingZoneUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { shippingZone { id } ${errors} } }`;
const remove = transition('shippingZoneDelete', 'deletedId');

const kinds = [['DELIVERY', 'Shipping'], ['PICKUP', 'Pickup at the shop']];

export function Shipping() {
  const query = useQuery(read);
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const zones = query.data?.shippingZones;
  const add = html`<${Button} kind="primary" icon="plus" act=${() => setDialog({ edit: {} })}
    test="zone-new">New zone<//>`;
  return html`<${Page} title="Shipping" back=${settings} actions=${add}
    lead="A zone is a group of countries with the same rates. The store ships only to these countries.">
    ${!zones ? html`<${Card}><${Pending} of=${query} rows=${4} /><//>`
      : zones.length === 0 ? html`<${Card}><${Empty} title="No zones yet">${add}<//><//>`
      : html`<div class="stack" data-test="zones">${zones.map((z) => html`<${Zone} key=${z.id} zone=${z}
          show=${setDialog} />`)}</div>`}
    ${dialog?.edit && html`<${Edit} of=${dialog.edit} onClose=${close} changed=${query.reload} />`}
    ${dialog?.remove && html`<${Remove} of=${dialog.remove} onClose=${close} changed=${query.reload} />`}
  <//>`;
}

function Zone({ zone: z, show }) {
  const { store } = useApp();
  const actions = html`<${Button} kind="small" act=${() => show({ edit: z })} label=${'Edit ' + z.name}
    test="zone-edit">Edit<//>
    <${Button} kind="small danger-quiet" act=${() => show({ remove: z })} label=${'Delete ' + z.name}
      test="zone-delete">Delete<//>`;
  const countries = [...z.countries.map(countryName), ...(z.restOfWorld ? ['All other countries'] : [])];
  return html`<${Card} title=${z.name} actions=${actions}>
    <p>${countries.join(', ')}</p>
    <${Facts} rows=${z.rates.map((r) => [r.name, price(r, store.currency)])} />
  <//>`;
}

function price(r, currency) {
  const sum = r.priceMinor === 0 ? 'Free' : money(r.priceMinor, currency);
  return sum + (r.freeFromMinor == null ? '' : ', free from ' + money(r.freeFromMinor, currency));
}

function entered(v, currency) {
  return {
    name: v.get('name'), restOfWorld: v.get('restOfWorld') === 'on',
    countries: v.getAll('countries'),
    rates: rowsOf(v, 'rates', '.name', (at) => ({
      id: v.get(at + '.id') || null, name: v.get(at + '.name'), kind: v.get(at + '.kind'),
      locationId: (v.get(at + '.kind') === 'PICKUP' && v.get(at + '.locationId')) || null,
      priceMinor: amount(v, at + '.priceMinor', currency),
      freeFromMinor: optionalAmount(v, at + '.freeFromMinor', currency),
      leastMinor: optionalAmount(v, at + '.leastMinor', currency),
      mostMinor: optionalAmount(v, at + '.mostMinor', currency),
      leastGrams: optionalNumber(v, at + '.leastGrams'), mostGrams: optionalNumber(v, at + '.mostGrams'),
    })),
  };
}

function Edit({ of: z, onClose, changed }) {
  const { store } = useApp();
  const locations = useAll('locations', 'id name picksUp closedAt');
  const open = (locations.nodes ?? []).filter((l) => l.picksUp && !l.closedAt).map((l) => [l.id, l.name]);
  const action = useAction(z.id ? update : create, (v) => ({
    ...(z.id && { id: z.id, expectedVersion: z.version }), input: entered(v, store.currency),
  }), 'Zone saved.', changed);
  return html`<${FormDialog} title=${z.id ? 'Edit ' + z.name : 'New zone'} name="zone" submit="Save"
    onClose=${onClose} action=${action} onStale=${changed}>
    <${Field} name="name" label="Name" value=${z.name} required maxlength="255" />
    <${Countries} name="countries" label="Countries" value=${z.countries ?? []}
      hint="For example, Germany. Leave empty for countries without their own zone." />
    <${Check} name="restOfWorld" label="All countries without their own zone" value=${z.restOfWorld} />
    <${Rows} name="rates" legend="Rates" one="Rate" max="20" initial=${z.rates ?? []} row=${Rate}
      currency=${store.currency} places=${open}
      hint="Shoppers see the rates that match their cart." />
  <//>`;
}

function Rate({ at, of, currency, places }) {
  return html`<input type="hidden" name=${at + '.id'} value=${of.id ?? ''} />
    <div class="pair">
      <${Field} name=${at + '.name'} label="Name" value=${of.name} required maxlength="255" />
      <${Select} name=${at + '.kind'} label="Method" options=${kinds} value=${of.kind ?? 'DELIVERY'} />
    </div>
    <div class="pair">
      <${Amount} name=${at + '.priceMinor'} label="Price" minor=${of.priceMinor} currency=${currency} />
      <${Amount} name=${at + '.freeFromMinor'} label="Free from" optional minor=${of.freeFromMinor}
        currency=${currency} />
    </div>
    ${(places.length > 0 || of.locationId) && html`<${Select} name=${at + '.locationId'} label="Pickup location"
      optional value=${of.locationId ?? ''} options=${[['', 'None'], ...places]}
      hint="For pickup. Shoppers see its address." />`}
    <details><summary>Conditions</summary>
      <div class="pair">
        <${Amount} name=${at + '.leastMinor'} label="Minimum subtotal" optional minor=${of.leastMinor}
          currency=${currency} />
        <${Amount} name=${at + '.mostMinor'} label="Maximum subtotal" optional minor=${of.mostMinor}
          currency=${currency} />
      </div>
      <div class="pair">
        <${Field} name=${at + '.leastGrams'} label="Minimum weight in g" optional value=${of.leastGrams ?? ''}
          inputmode="numeric" />
        <${Field} name=${at + '.mostGrams'} label="Maximum weight in g" optional value=${of.mostGrams ?? ''}
          inputmode="numeric" />
      </div></details>`;
}

function Remove({ of: z, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Delete ' + isolate(z.name) + '?'} name="zone-delete" submit="Delete"
    document=${remove} variables=${{ id: z.id, expectedVersion: z.version }} done="Zone deleted." changed=${changed}
    onClose=${onClose}><p>The store no longer ships to its countries.</p><//>`;
}
