// The stock of a product by location, and transfers between locations.
import { html, useState } from './lib.js';
import { useAll, useQuery } from './context.js';
import { Button, Card, Pending } from './ui.js';
import { Table } from './list.js';
import { Check, Field, FieldError, FormDialog, Select, errors, optionalNumber, text, useAction } from './form.js';

const read = `query StockByLocation($id: ID!) { inventory(filter: { productId: $id }) {
  nodes { variants { variantId title quantity locations { locationId quantity } } } } }`;
const move = `mutation InventoryTransfer($input: InventoryTransferInput!) {
  inventoryTransfer(input: $input) { changes { variantId } ${errors} } }`;

const at = (variant, location) => variant.locations.find((l) => l.locationId === location.id)?.quantity ?? 0;

function useOpenLocations() {
  const all = useAll('locations', 'id name position closedAt');
  return (all.nodes ?? []).filter((l) => !l.closedAt).sort((a, b) => a.position - b.position);
}

const taken = 'Where the stock was taken from';

/** Chooses the location of a change; shows nothing in a store with one location. */
export function LocationField({ label, none = taken, hint }) {
  const open = useOpenLocations();
  return open.length > 1 && html`<${Select} name="location" label=${label} optional hint=${hint}
    options=${[['', none], ...open.map((l) => [l.id, l.name])]} />`;
}

/** The default of items of a return. */
export const received = 'Where they were received or taken from';

/** Asks whether items go back to stock, and where. */
export function Restock({ label, value, none = taken }) {
  return html`<${Check} name="restock" label=${label} value=${value} />
    <${LocationField} label="Restock at" none=${none} />`;
}

/** Shows nothing in a store with one location. */
export function StockPlaces({ product: p, may, changed }) {
  const open = useOpenLocations();
  return open.length > 1 && html`<${Places} product=${p} may=${may} changed=${changed} locations=${open} />`;
}

function Places({ product: p, may, changed, locations }) {
  const query = useQuery(read, { id: p.id });
  const [moving, setMoving] = useState(false);
  const rows = query.data?.inventory.nodes[0]?.variants;
  const columns = [
    { name: 'title', head: 'Variant', main: true, cell: (v) => html`<bdi>${v.title}</bdi>` },
    ...locations.map((l) => ({ name: l.id, head: l.name,
      cell: (v) => (v.quantity === null ? 'Not tracked' : at(v, l)) })),
  ];
  const actions = may && rows?.some((v) => v.quantity !== null) &&
    html`<${Button} kind="small" act=${() => setMoving(true)} test="stock-transfer">Transfer stock<//>`;
  return html`<${Card} title="Stock by location" name="stock-places" flush actions=${actions}>
    ${!rows ? html`<${Pending} of=${query} rows=${2} />`
      : html`<${Table} caption="Stock by location" columns=${columns} rows=${rows} id=${(v) => v.variantId} />`}
    ${moving && html`<${Transfer} variants=${rows} locations=${locations} onClose=${() => setMoving(false)}
      changed=${() => { query.reload(); changed(); }} />`}
  <//>`;
}

function Transfer({ variants, locations, onClose, changed }) {
  const options = locations.map((l) => [l.id, l.name]);
  const action = useAction(move, (v) => {
    const quantity = optionalNumber(v, 'quantity');
    if (!quantity) {
      throw new FieldError('quantity', 'Enter how many units move.');
    }
    const line = { variantId: v.get('variant'), quantity };
    return { input: { from: v.get('from'), to: v.get('to'), lines: [line], reason: text(v, 'reason'),
      reference: text(v, 'reference') } };
  }, 'Stock transferred.', changed);
  return html`<${FormDialog} title="Transfer stock" name="stock-transfer" submit="Transfer" onClose=${onClose}
    action=${action} onStale=${changed}>
    <${Select} name="variant" label="Variant" value=${variants[0].variantId}
      options=${variants.filter((v) => v.quantity !== null).map((v) => [v.variantId, v.title])} />
    <div class="pair"><${Select} name="from" label="From" options=${options} value=${locations[0].id} />
      <${Select} name="to" label="To" options=${options} value=${locations[1].id} /></div>
    <${Field} name="quantity" label="Units" inputmode="numeric" required />
    <${Field} name="reason" label="Reason" optional maxlength="255" />
    <${Field} name="reference" label="Reference" optional maxlength="255"
      hint="For example, the number of a delivery note." />
  <//>`;
}
