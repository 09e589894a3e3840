// Collections: the list and the form.
import { html, useState } from '../lib.js';
import { useAll, useApp, useFilters, useQuery, go } from '../context.js';
import { Page, Card, Empty, Time, MissingPage, Button, isolate } from '../ui.js';
import { List, RowLink } from '../list.js';
import {
  Amount, Area, Check, Field, Form, Select, ConfirmMutation, text, transition, useAction, errors, optionalAmount,
} from '../form.js';
import { Icon } from '../icons.js';
import { Rows, MoveButtons, rowsOf } from '../rows.js';
import { ProductChoice } from '../choices.js';
import { ViewInStore } from '../copy.js';
import { to } from '../route.js';

const list = `query Collections($after: String) { collections(first: 25, after: $after) {
  nodes { id title handle sort rule { any } updatedAt } pageInfo { hasNextPage endCursor } } }`;
const rule = 'rule { any inStock conditions { field text leastMinor mostMinor } }';
const read = `query Collection($id: ID!) { collection(id: $id) {
  id title handle description sort ${rule} products { id title } sizeChartId version } }`;
const create = `mutation CollectionCreate($input: CollectionInput!) {
  collectionCreate(input: $input) { collection { id } ${errors} } }`;
const update = `mutation CollectionUpdate($id: ID!, $expectedVersion: Long!, $input: CollectionInput!) {
  collectionUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { collection { id } ${errors} } }`;
const remove = transition('collectionDelete', 'deletedId');

const back = { href: to('/collections'), text: 'Collections' };
const sorts = [['MANUAL', 'Manual'], ['NEWEST', 'Newest'], ['PRICE_UP', 'Price, low to high'],
  ['PRICE_DOWN', 'Price, high to low'], ['TITLE', 'Title']];
const fields = [['TAG', 'Tag'], ['PRODUCT_TYPE', 'Type'], ['VENDOR', 'Vendor'], ['PRICE', 'Price']];

const columns = [
  { name: 'collection', head: 'Collection', main: true,
    cell: (c) => html`<span class="grow"><${RowLink} href=${to('/collections/' + c.id)}>${c.title}<//>
      <bdi class="muted block">/collections/${c.handle}</bdi></span>` },
  { name: 'products', head: 'Products', cell: (c) => (c.rule ? 'Automatic' : 'Manual') },
  { name: 'sort', head: 'Sort order', cell: (c) => sorts.find(([k]) => k === c.sort)?.[1] },
  { name: 'changed', head: 'Changed', cell: (c) => html`<${Time} at=${c.updatedAt} how="date" />` },
];

export function Collections() {
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  const add = html`<a class="button primary" href=${to('/collections/new')} data-test="collection-new">
    <${Icon} name="plus" size="16" />New collection</a>`;
  return html`<${Page} title="Collections" actions=${add}
    lead="Groups of products, each with its own page in the shop.">
    <section class="card flush" aria-label="Collections" data-test="collections">
      <${List} query=${query} pick=${(d) => d.collections} caption="Collections" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/collections', { after })}
        empty=${html`<${Empty} icon="products" title="No collections yet">${add}<//>`} />
    </section>
  <//>`;
}

export function CollectionNew() {
  const save = useAction(create, (input) => ({ input }), 'Collection created.',
    ({ collection }) => go(to('/collections/' + collection.id), { replace: true }));
  return html`<${Page} title="New collection" back=${back}>
    <${Inputs} of=${{}} save=${save} />
  <//>`;
}

export function CollectionEdit({ id }) {
  const query = useQuery(read, { id });
  const c = query.data?.collection;
  const save = useAction(update, (input) => ({ id, expectedVersion: c.version, input }), 'Collection saved.',
    query.reload);
  const [deleting, setDeleting] = useState(false);
  if (!c) {
    return html`<${MissingPage} query=${query} name="Collection" icon="products" back=${back} />`;
  }
  const actions = html`<${ViewInStore} path=${'/collections/' + c.handle} />
    <${Button} kind="danger-quiet" act=${() => setDeleting(true)} test="collection-delete">Delete<//>`;
  return html`<${Page} title=${c.title} back=${back} actions=${actions}>
    <${Inputs} key=${c.version} of=${c} save=${save} changed=${query.reload} />
    ${deleting && html`<${Remove} of=${c} onClose=${() => setDeleting(false)} changed=${query.reload} />`}
  <//>`;
}

function entered(v, { way, picked, currency }) {
  const byRule = way === 'RULE';
  const condition = (at) => (v.get(at + '.field') === 'PRICE'
    ? { field: 'PRICE', leastMinor: optionalAmount(v, at + '.leastMinor', currency),
      mostMinor: optionalAmount(v, at + '.mostMinor', currency) }
    : { field: v.get(at + '.field'), text: text(v, at + '.text') });
  return {
    title: v.get('title'), description: text(v, 'description'), sort: v.get('sort'),
    sizeChartId: v.get('sizeChartId') || null,
    ...(text(v, 'handle') ? { handle: text(v, 'handle') } : {}),
    productIds: byRule ? [] : picked.map((p) => p.id),
    rule: byRule ? { any: v.get('rule.any') === 'ANY', inStock: v.get('rule.inStock') === 'on',
      conditions: rowsOf(v, 'rule.conditions', '.field', condition) } : null,
  };
}

function Inputs({ of: c, save, changed }) {
  const { store } = useApp();
  const pages = useAll('pages', 'id title').nodes;
  const [way, setWay] = useState(c.rule ? 'RULE' : 'HAND');
  const [picked, setPicked] = useState(c.products ?? []);
  const sort = way === 'RULE' && (c.sort ?? 'MANUAL') === 'MANUAL' ? 'NEWEST' : c.sort ?? 'MANUAL';
  const action = (v) => save(entered(v, { way, picked, currency: store.currency }));
  const reset = () => {
    setWay(c.rule ? 'RULE' : 'HAND');
    setPicked(c.products ?? []);
  };
  return html`<${Form} name="collection" submit="Save" action=${action} onStale=${changed}
    reset=${reset}><div class="split">
    <div class="stack">
      <${Card} title="Collection">
        <${Field} name="title" label="Title" value=${c.title} required maxlength="255" />
        <${Area} name="description" label="Description" optional value=${c.description} rows=${4} maxlength="2000" />
      <//>
      <${Card} title="Products" name="collection-products">
        <${Select} name="way" label="Selection" value=${way}
          options=${[['HAND', 'Manual'], ['RULE', 'Automatic']]}
          onChange=${(e) => setWay(e.target.value)} />
        ${way === 'RULE' ? html`<${Rule} of=${c.rule} />`
          : html`<${ProductOrder} picked=${picked} set=${setPicked} />`}
      <//>
    </div>
    <div class="stack"><${Card} title="Address and order">
      <${Field} name="handle" label="Handle" optional value=${c.handle} maxlength="120" autocapitalize="off"
        spellcheck=${false}
        hint=${'Its address is /collections/' + (c.handle ?? '…') + '. Leave empty to use the title.'} />
      <${Select} name="sort" label="Sort order" value=${sort} key=${way}
        options=${way === 'RULE' ? sorts.slice(1) : sorts} hint="Shoppers can choose another order." />
      ${pages ? html`<${Select} name="sizeChartId" label="Size chart" optional value=${c.sizeChartId}
        options=${[['', 'None'], ...pages.map((page) => [page.id, page.title])]}
        hint="One of your pages, for products without their own. Of several collections the oldest counts." />`
        : html`<input type="hidden" name="sizeChartId" value=${c.sizeChartId ?? ''} />`}
    <//></div>
  </div><//>`;
}

function Rule({ of }) {
  return html`<${Select} name="rule.any" label="Products must match" value=${of?.any ? 'ANY' : 'ALL'}
      options=${[['ALL', 'all conditions'], ['ANY', 'any condition']]} />
    <${Rows} name="rule.conditions" legend="Conditions" one="Condition" max="20" initial=${of?.conditions ?? [{}]}
      row=${Condition} hint="Case and accents are ignored. Leave empty to select by stock alone." />
    <${Check} name="rule.inStock" label="Exclude sold-out products" value=${of?.inStock ?? false} />`;
}

function Condition({ at, of }) {
  const { store } = useApp();
  const [field, setField] = useState(of.field ?? 'TAG');
  return html`<${Select} name=${at + '.field'} label="Field" value=${field} options=${fields}
      onChange=${(e) => setField(e.target.value)} />
    ${field === 'PRICE' ? html`<div class="pair">
      <${Amount} name=${at + '.leastMinor'} label="At least" optional minor=${of.leastMinor}
        currency=${store.currency} />
      <${Amount} name=${at + '.mostMinor'} label="At most" optional minor=${of.mostMinor}
        currency=${store.currency} /></div>`
      : html`<${Field} name=${at + '.text'} label="Is" value=${of.text} required maxlength="255" />`}`;
}

function ProductOrder({ picked, set }) {
  return html`<ol class="picked" aria-label="Products of the collection">${picked.map(({ id, title }, i) => html`<li
      key=${id} data-test="picked"><input type="hidden" name="picked" value=${id} />
      <span class="grow" dir="auto">${title}</span>
      <${MoveButtons} title=${title} at=${i} items=${picked} set=${set} test="picked" /></li>`)}</ol>
  <${ProductChoice} name="add" label="Add a product" optional key=${picked.length}
    without=${picked.map((p) => p.id)} choose=${(p) => p.id && set([...picked, p])} />`;
}

function Remove({ of: c, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Delete ' + isolate(c.title) + '?'} name="collection-delete" submit="Delete"
    document=${remove} variables=${{ id: c.id, expectedVersion: c.version }} done="Collection deleted."
    changed=${() => go(to('/collections'))} onStale=${changed} onClose=${onClose}>
    <p>Its page is removed. The products are kept.</p><//>`;
}
