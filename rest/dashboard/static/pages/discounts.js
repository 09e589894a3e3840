// Discounts: the list and the form.
import { html, useState } from '../lib.js';
import { useAll, useApp, useFilters, useQuery } from '../context.js';
import { Page, Empty, Time, Pending, Button, isolate } from '../ui.js';
import { List } from '../list.js';
import {
  Amount, Check, Field, FormDialog, Select, ConfirmMutation, amount, transition, useAction, errors, optionalAmount,
  optionalNumber,
} from '../form.js';
import { LocalTimeField, localTimeOf } from '../local_time_field.js';
import { money } from '../money.js';
import { to } from '../route.js';
import { percent, percentage } from '../selling.js';

const list = `query Discounts($after: String) { discounts(first: 25, after: $after) {
  nodes { id code kind basisPoints amountMinor startsAt endsAt leastMinor usesMax customerUsesMax uses active
    collectionIds version }
  pageInfo { hasNextPage endCursor } } }`;
const create = `mutation DiscountCreate($input: DiscountInput!) {
  discountCreate(input: $input) { discount { id } ${errors} } }`;
const update = `mutation DiscountUpdate($id: ID!, $expectedVersion: Long!, $input: DiscountInput!) {
  discountUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { discount { id } ${errors} } }`;
const remove = transition('discountDelete', 'deletedId');

const kinds = [['PERCENT', 'Percentage'], ['AMOUNT', 'Fixed amount'], ['FREE_SHIPPING', 'Free shipping']];

function discountText(d, currency) {
  if (d.kind === 'PERCENT') {
    return percent(d.basisPoints) + ' %';
  }
  return d.kind === 'AMOUNT' ? money(d.amountMinor, currency) : 'Free shipping';
}

export function Discounts() {
  const { store } = useApp();
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  const [dialog, setDialog] = useState(f.new ? { edit: {} } : null);
  const close = () => setDialog(null);
  const add = html`<${Button} kind="primary" icon="plus" act=${() => setDialog({ edit: {} })}
    test="discount-new">New discount<//>`;
  const columns = [
    { name: 'code', head: 'Code', main: true, cell: (d) => html`<code class="strong">${d.code}</code>` },
    { name: 'worth', head: 'Discount', cell: (d) => discountText(d, store.currency) },
    { name: 'state', head: 'Status', cell: (d) => (d.active ? 'Active' : 'Inactive') },
    { name: 'ends', head: 'Ends', cell: (d) => (d.endsAt ? html`<${Time} at=${d.endsAt} />` : 'No end date') },
    { name: 'uses', head: 'Used', cell: (d) => d.uses + (d.usesMax ? ' of ' + d.usesMax : '') },
    { name: 'actions', head: '', end: true, cell: (d) => html`<span class="row-actions">
        <${Button} kind="small" act=${() => setDialog({ edit: d })} test="discount-edit"
          label=${'Edit ' + d.code}>Edit<//>
        ${d.uses === 0 && html`<${Button} kind="small danger-quiet" test="discount-delete"
          act=${() => setDialog({ remove: d })} label=${'Delete ' + isolate(d.code)}>Delete<//>`}</span>` },
  ];
  return html`<${Page} title="Discounts" actions=${add} lead="Codes that shoppers enter at checkout.">
    <section class="card flush" aria-label="Discounts" data-test="discounts">
      <${List} query=${query} pick=${(d) => d.discounts} caption="Discounts" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/discounts', { after })}
        empty=${html`<${Empty} title="No discounts yet">${add}<//>`} />
    </section>
    ${dialog?.edit && html`<${Edit} of=${dialog.edit} onClose=${close} changed=${query.reload} />`}
    ${dialog?.remove && html`<${Remove} of=${dialog.remove} onClose=${close} changed=${query.reload} />`}
  <//>`;
}

function entered(v, { of: d, currency, zone, lists }) {
  const kind = v.get('kind');
  const at = (name) => localTimeOf(v, name, zone, d[name]);
  return {
    code: v.get('code'), kind, active: v.get('active') === 'on',
    basisPoints: kind === 'PERCENT' ? percentage(v, 'basisPoints') : null,
    amountMinor: kind === 'AMOUNT' ? amount(v, 'amountMinor', currency) : null,
    startsAt: at('startsAt'), endsAt: at('endsAt'), leastMinor: optionalAmount(v, 'leastMinor', currency),
    usesMax: optionalNumber(v, 'usesMax'), customerUsesMax: optionalNumber(v, 'customerUsesMax'),
    collectionIds: lists.map((c) => c.id).filter((id) => v.get('collection.' + id) === 'on'),
  };
}

/** All collections, and those of the discount that no longer exist, so that saving keeps them. */
function useLists(chosen = []) {
  const all = useAll('collections', 'id title');
  const known = all.nodes ?? [];
  const other = chosen.filter((id) => !known.some((c) => c.id === id));
  const title = all.nodes ? 'Deleted collection' : 'A collection';
  return { ...all, lists: [...known, ...other.map((id) => ({ id, title }))] };
}

function Edit({ of: d, onClose, changed }) {
  const { store, zone } = useApp();
  const { currency } = store;
  const [kind, setKind] = useState(d.kind ?? 'PERCENT');
  const { lists, ...collections } = useLists(d.collectionIds);
  const action = useAction(d.id ? update : create, (v) => ({
    ...(d.id && { id: d.id, expectedVersion: d.version }), input: entered(v, { of: d, currency, zone, lists }),
  }), 'Discount saved.', changed);
  return html`<${FormDialog} title=${d.id ? 'Edit ' + d.code : 'New discount'} name="discount" submit="Save"
    onClose=${onClose} action=${action} onStale=${changed}>
    <${Field} name="code" label="Code" value=${d.code} required maxlength="64" autocomplete="off" spellcheck=${false}
      autocapitalize="characters" hint="Letters, digits, - and _. Case does not matter." />
    <${Select} name="kind" label="Type" options=${kinds} value=${kind}
      onChange=${(e) => setKind(e.target.value)} />
    ${kind === 'PERCENT' && html`<${Field} name="basisPoints" label="Percent" required value=${percent(d.basisPoints)}
      inputmode="decimal" autocomplete="off" />`}
    ${kind === 'AMOUNT' && html`<${Amount} name="amountMinor" label="Amount" minor=${d.amountMinor}
      currency=${currency} />`}
    <${Amount} name="leastMinor" label="Minimum subtotal" optional minor=${d.leastMinor} currency=${currency} />
    <div class="pair">
      <${LocalTimeField} name="startsAt" label="From" optional at=${d.startsAt} zone=${zone} />
      <${LocalTimeField} name="endsAt" label="Until" optional at=${d.endsAt} zone=${zone} />
    </div>
    <div class="pair">
      <${Field} name="usesMax" label="Total uses" optional value=${d.usesMax ?? ''} inputmode="numeric" />
      <${Field} name="customerUsesMax" label="Uses per customer" optional value=${d.customerUsesMax ?? ''}
        inputmode="numeric" />
    </div>
    ${(lists.length > 0 || !collections.nodes) && html`<fieldset class="rows" data-test="discount-collections">
      <legend>Collections</legend>
      <p class="muted">Leave empty for all products.</p>
      ${!collections.nodes && html`<${Pending} of=${collections} rows=${1} />`}
      ${lists.map((c) => html`<${Check} key=${c.id} name=${'collection.' + c.id} label=${c.title}
        value=${d.collectionIds?.includes(c.id) ?? false} />`)}
    </fieldset>`}
    <${Check} name="active" label="Active" value=${d.active ?? true} />
  <//>`;
}

function Remove({ of: d, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Delete ' + isolate(d.code) + '?'} name="discount-delete" submit="Delete"
    document=${remove} variables=${{ id: d.id, expectedVersion: d.version }} done="Discount deleted."
    changed=${changed} onClose=${onClose}>
    <p>No order uses this discount. It is permanently deleted.</p><//>`;
}
