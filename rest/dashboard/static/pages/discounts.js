// The discounts of the store: a list, and the form of each.
import { html, useState } from '../lib.js';
import { useAll, useApp, useFilters, useQuery } from '../context.js';
import { Page, Empty, Time, Trouble, Waiting, isolate } from '../ui.js';
import { List } from '../list.js';
import { Amount, Check, Confirm, Field, FormDialog, Select, amount, text, useMutation } from '../form.js';
import { Icon } from '../icons.js';
import { LocalTimeField, localTimeOf } from '../local_time_field.js';
import { money } from '../money.js';
import { to } from '../route.js';
import { errors, optionalAmount, optionalNumber, percent, percentage } from '../selling.js';

const list = `query Discounts($after: String) { discounts(first: 25, after: $after) {
  nodes { id code kind basisPoints amountMinor startsAt endsAt leastMinor usesMax customerUsesMax uses active
    collectionIds version }
  pageInfo { hasNextPage endCursor } } }`;
const create = `mutation DiscountCreate($input: DiscountInput!) {
  discountCreate(input: $input) { discount { id } ${errors} } }`;
const update = `mutation DiscountUpdate($id: ID!, $expectedVersion: Long!, $input: DiscountInput!) {
  discountUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { discount { id } ${errors} } }`;
const remove = `mutation DiscountDelete($id: ID!, $expectedVersion: Long!) {
  discountDelete(id: $id, expectedVersion: $expectedVersion) { deletedId ${errors} } }`;

const kinds = [['PERCENT', 'A percentage'], ['AMOUNT', 'An amount'], ['FREE_SHIPPING', 'Free shipping']];

/** What a discount takes off, as people say it. */
function worth(d, currency) {
  if (d.kind === 'PERCENT') {
    return percent(d.basisPoints) + ' %';
  }
  return d.kind === 'AMOUNT' ? money(d.amountMinor, currency) : 'Free shipping';
}

export function Discounts() {
  const { store } = useApp();
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  const [shown, show] = useState(f.new ? { edit: {} } : null);
  const close = () => show(null);
  const add = html`<button type="button" class="button primary" onClick=${() => show({ edit: {} })}
    data-test="discount-new"><${Icon} name="plus" size="16" />New discount</button>`;
  const columns = [
    { name: 'code', head: 'Code', main: true, cell: (d) => html`<code class="strong">${d.code}</code>` },
    { name: 'worth', head: 'Discount', cell: (d) => worth(d, store.currency) },
    { name: 'state', head: 'Status', cell: (d) => (d.active ? 'Active' : 'Inactive') },
    { name: 'ends', head: 'Ends', cell: (d) => (d.endsAt ? html`<${Time} at=${d.endsAt} />` : 'No end date') },
    { name: 'uses', head: 'Used', cell: (d) => d.uses + (d.usesMax ? ' of ' + d.usesMax : '') },
    { name: 'actions', head: '', end: true, cell: (d) => html`<span class="row-actions">
        <button type="button" class="button small" onClick=${() => show({ edit: d })} data-test="discount-edit"
          aria-label=${'Edit ' + d.code}>Edit</button>
        ${d.uses === 0 && html`<button type="button" class="button small danger-quiet" data-test="discount-delete"
          onClick=${() => show({ remove: d })} aria-label=${'Delete ' + isolate(d.code)}>Delete</button>`}</span>` },
  ];
  return html`<${Page} title="Discounts" actions=${add} lead="Codes that shoppers enter at checkout.">
    <section class="card flush" aria-label="Discounts" data-test="discounts">
      <${List} query=${query} pick=${(d) => d.discounts} caption="Discounts" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/discounts', { after })}
        empty=${html`<${Empty} title="No discounts yet">${add}<//>`} />
    </section>
    ${shown?.edit && html`<${Edit} of=${shown.edit} onClose=${close} changed=${query.reload} />`}
    ${shown?.remove && html`<${Remove} of=${shown.remove} onClose=${close} changed=${query.reload} />`}
  <//>`;
}

/** What the person entered. */
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

/** The collections that a discount can be for, and those that it is for already: what is not shown is not lost. */
function useLists(chosen = []) {
  const all = useAll('collections', 'id title');
  const known = all.nodes ?? [];
  const other = chosen.filter((id) => !known.some((c) => c.id === id));
  const title = all.nodes ? 'Deleted collection' : 'A collection';
  return { ...all, lists: [...known, ...other.map((id) => ({ id, title }))] };
}

function Edit({ of: d, onClose, changed }) {
  const { store, zone, notify } = useApp();
  const { currency } = store;
  const run = useMutation(d.id ? update : create);
  const [kind, choose] = useState(d.kind ?? 'PERCENT');
  const { lists, nodes, failure, reload } = useLists(d.collectionIds);
  const action = async (v) => {
    const input = entered(v, { of: d, currency, zone, lists });
    await run({ ...(d.id && { id: d.id, expectedVersion: d.version }), input });
    notify('Discount saved.');
    changed();
  };
  return html`<${FormDialog} title=${d.id ? 'Edit ' + d.code : 'New discount'} name="discount" submit="Save"
    onClose=${onClose} action=${action} onStale=${changed}>
    <${Field} name="code" label="Code" value=${d.code} required maxlength="64" autocomplete="off" spellcheck=${false}
      autocapitalize="characters" hint="Letters, digits, - and _. Case does not matter." />
    <${Select} name="kind" label="Type" options=${kinds} value=${kind}
      onChange=${(e) => choose(e.target.value)} />
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
    ${(lists.length > 0 || !nodes) && html`<fieldset class="rows" data-test="discount-collections">
      <legend>Collections</legend>
      <p class="muted">Leave empty for all products.</p>
      ${failure ? html`<${Trouble} failure=${failure} reload=${reload} />` : !nodes && html`<${Waiting} rows=${1} />`}
      ${lists.map((c) => html`<${Check} key=${c.id} name=${'collection.' + c.id} label=${c.title}
        value=${d.collectionIds?.includes(c.id) ?? false} />`)}
    </fieldset>`}
    <${Check} name="active" label="Active" value=${d.active ?? true} />
  <//>`;
}

function Remove({ of: d, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(remove);
  const action = async () => {
    await run({ id: d.id, expectedVersion: d.version });
    notify('Discount deleted.');
    changed();
  };
  return html`<${Confirm} title=${'Delete ' + isolate(d.code) + '?'} name="discount-delete" submit="Delete"
    onClose=${onClose} onStale=${changed} action=${action}>
    <p>No order uses this discount. It is permanently deleted.</p><//>`;
}
