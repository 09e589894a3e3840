// One product: made, changed, published, put away.
import { html, useState } from '../lib.js';
import { useApp, useQuery, go } from '../context.js';
import { Page, Card, Badge, Time, Trouble, Waiting, Empty, Facts, Thumb, Money } from '../ui.js';
import {
  Form, Field, Area, Select, Check, Amount, Confirm, ActionButton, amount, shownTags, tags, text, useMutation,
} from '../form.js';
import { Variants, VariantList, count, variantFields } from '../variants.js';
import { ImageList, Images, imagesOf } from '../images.js';
import { mutation } from '../api.js';
import { Copies, ViewInStore } from '../copy.js';
import { to } from '../route.js';

const fields = `id title handle description status priceMinor compareAtPriceMinor currency sku vendor productType tags
  inventoryQuantity imageUrl requiresShipping publishedAt version createdAt updatedAt ${variantFields} ${imagesOf}`;
const errors = 'userErrors { code message path }';

const read = `query Product($id: ID!) { product(id: $id) { ${fields} } }`;
const create = `mutation ProductCreate($input: ProductCreateInput!) {
  productCreate(input: $input) { product { id } ${errors} } }`;
const update = `mutation ProductUpdate($id: ID!, $expectedVersion: Long!, $input: ProductUpdateInput!) {
  productUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { product { id } ${errors} } }`;
const move = (name) => `mutation Move($id: ID!, $expectedVersion: Long!) {
  ${name}(id: $id, expectedVersion: $expectedVersion) { product { id version } ${errors} } }`;
const remove = `mutation ProductDelete($id: ID!, $expectedVersion: Long!) {
  productDelete(id: $id, expectedVersion: $expectedVersion) { deletedId ${errors} } }`;

/** What a person typed, as the server takes it. A product with options has prices and stock in its variants. */
function input(v, before) {
  const currency = v.get('currency');
  const own = v.has('priceMinor') && {
    priceMinor: amount(v, 'priceMinor', currency),
    compareAtPriceMinor: (v.get('compareAtPriceMinor') ?? '').trim()
      ? amount(v, 'compareAtPriceMinor', currency) : null,
    inventoryQuantity: count(v, 'inventoryQuantity', 'the stock is not tracked'),
    weightGrams: count(v, 'weightGrams', 'the weight is unknown'), sku: text(v, 'sku'),
  };
  return {
    title: v.get('title'), description: v.get('description') || null, currency, ...own,
    vendor: text(v, 'vendor'), productType: text(v, 'productType'),
    tags: tags(v, 'tags', before?.tags), imageUrl: text(v, 'imageUrl'),
    requiresShipping: v.has('requiresShipping'),
    ...(text(v, 'handle') ? { handle: text(v, 'handle') } : {}),
  };
}

/** What of b is not as in a. */
function difference(a, b) {
  return Object.fromEntries(Object.entries(b)
    .filter(([k, v]) => JSON.stringify(a[k] ?? null) !== JSON.stringify(v ?? null)));
}

function Inputs({ product: p = {}, fixed }) {
  const { store } = useApp();
  const [currency, choose] = useState(p.currency ?? store.currency);
  const many = p.options?.length > 0;
  return html`<div class="split">
    <div class="stack">
      <${Card} title="About">
        <${Field} name="title" label="Title" value=${p.title} required maxlength="255" disabled=${fixed} />
        <${Area} name="description" label="Description" optional value=${p.description} rows=${6}
          maxlength="65535" disabled=${fixed} />
        <${Field} name="imageUrl" label="External image URL" type="url" optional
          value=${p.imageUrl} maxlength="2048"
          hint="Used when no image is uploaded. Starts with https://"
          disabled=${fixed} />
        ${!p.images?.length && html`<${Thumb} product=${p} size=${96} />`}
      <//>
      <${Card} title="Price and stock">
        ${many ? html`<p class="muted">Set prices and stock in the variants below.</p>` : html`
        <div class="pair">
          <${Amount} key=${'p' + currency} name="priceMinor" label="Price" minor=${p.priceMinor}
            currency=${currency} disabled=${fixed} />
          <${Amount} key=${'c' + currency} name="compareAtPriceMinor" label="Compare-at price" optional
            minor=${p.compareAtPriceMinor} currency=${currency} disabled=${fixed} />
        </div>`}
        <div class="pair">
          <${Select} name="currency" label="Currency" value=${currency}
            options=${[...new Set([store.currency, currency])].map((c) => [c, c])}
            onChange=${(e) => choose(e.target.value)} disabled=${fixed}
            hint=${currency === store.currency ? '' : 'Only products in ' + store.currency + ' can be published.'} />
          ${!many && html`<${Field} name="inventoryQuantity" label="Stock" optional
            value=${p.inventoryQuantity == null ? '' : String(p.inventoryQuantity)}
            inputmode="numeric" hint="Leave empty if stock is not tracked." disabled=${fixed} />`}
        </div>
        ${!many && html`<${Field} name="weightGrams" label="Weight in g" optional
          value=${p.weightGrams == null ? '' : String(p.weightGrams)} inputmode="numeric" disabled=${fixed} />`}
        <${Check} name="requiresShipping" label="This is a physical product" value=${p.requiresShipping ?? true}
          hint="Turn off for downloads and vouchers; shoppers then enter no address." disabled=${fixed} />
      <//>
    </div>
    <div class="stack">
      <${Card} title="Organization">
        ${!many && html`<${Field} name="sku" label="SKU" optional value=${p.sku} maxlength="255" disabled=${fixed} />`}
        <${Field} name="vendor" label="Vendor" optional value=${p.vendor} maxlength="255" disabled=${fixed} />
        <${Field} name="productType" label="Type" optional value=${p.productType} maxlength="255" disabled=${fixed} />
        <${Field} name="tags" label="Tags" optional value=${shownTags(p.tags)} hint="Separate tags with commas."
          disabled=${fixed} />
        <${Field} name="handle" label="Handle" optional value=${p.handle} maxlength="120"
          hint=${'Used in the product\u2019s address' + (p.id ? '.' : '. Leave empty to use the title.')}
          autocapitalize="off" spellcheck=${false} disabled=${fixed} />
      <//>
    </div>
  </div>`;
}

const back = { href: to('/products'), text: 'Products' };

export function ProductNew() {
  const { notify } = useApp();
  const run = useMutation(create);
  const action = async (v) => {
    const { product } = await run({ input: input(v) });
    notify('Draft created.');
    go(to('/products/' + product.id), { replace: true });
  };
  return html`<${Page} title="New product" back=${back} lead="New products are drafts, which shoppers cannot see.">
    <${Form} name="product" submit="Create draft" action=${action}><${Inputs} /><//>
  <//>`;
}

export function ProductEdit({ id }) {
  const { can, notify } = useApp();
  const query = useQuery(read, { id });
  const run = useMutation(update);
  const [asking, ask] = useState(false);
  // What the person changed when somebody else was faster: kept over the newest state.
  const [kept, keep] = useState(null);
  // The version that the product has since its pictures were changed here, beside the form.
  const [ahead, setAhead] = useState(null);
  const known = query.data?.product;
  const p = known && ahead?.from === known.version ? { ...known, version: ahead.version } : known;
  if (query.failure) {
    return html`<${Page} title="Product" back=${back}>
      <${Trouble} failure=${query.failure} reload=${query.reload} /><//>`;
  }
  if (!p) {
    return html`<${Page} title=${query.data ? 'Product not found' : 'Product'} back=${back}>${query.data
      ? html`<${Empty} icon="products" title="This product does not exist." />`
      : html`<${Card}><${Waiting} rows=${8} /><//>`}<//>`;
  }
  const may = can('editProducts');
  // Where somebody else has changed it too, the form keeps its version, and is told so when it is saved.
  const changedImages = (version) => version === p.version + 1 && setAhead({ from: known.version, version });
  const action = async (v) => {
    const change = difference(p, input(v, p));
    if (Object.keys(change).length === 0) {
      notify('No changes to save.');
      return;
    }
    await run({ id, expectedVersion: p.version, input: change });
    keep(null);
    notify('Product saved.');
    query.reload();
  };
  const stale = (v) => {
    keep(difference(p, input(v, p)));
    query.reload();
  };
  return html`<${Page} title=${p.title} back=${back} badges=${html`<${Badge} value=${p.status} />`}
    actions=${html`${p.status === 'ACTIVE' && html`<${ViewInStore} path=${'/products/' + p.handle} />`}
      ${may && html`<${Moves} product=${p} changed=${query.reload} remove=${() => ask(true)} />`}`}>
    ${may ? html`<${Form} name="product" submit="Save" action=${action} onStale=${stale} key="form"
        reset=${() => keep(null)}>
        <${Inputs} key=${known.version} product=${{ ...p, ...kept }} />
      <//>` : html`<fieldset class="bare" disabled><${Inputs} product=${p} fixed /></fieldset>`}
    ${may ? html`<${Images} key=${'i' + known.version} product=${p} changed=${changedImages} />`
      : p.images.length > 0 && html`<${ImageList} product=${p} />`}
    ${may ? html`<${Variants} key=${'v' + known.version} product=${p} changed=${query.reload} />`
      : p.options.length > 0 && html`<${VariantList} product=${p} />`}
    <${Card} title="Details"><${Facts} rows=${[
      ['Published', p.publishedAt && html`<${Time} at=${p.publishedAt} />`],
      ['Created', html`<${Time} at=${p.createdAt} />`], ['Changed', html`<${Time} at=${p.updatedAt} />`],
      ['Price', html`<${Money} minor=${p.priceMinor} currency=${p.currency} />`],
      ['Events', can('events') && html`<a href=${to('/events', { resource: p.id })}>Show events</a>`],
      ['ID', html`<${Copies} text=${p.id} what="the ID" />`],
    ]} /><//>
    ${asking && html`<${Remove} product=${p} onClose=${() => ask(false)} changed=${query.reload} />`}
  <//>`;
}

const moves = {
  DRAFT: [
    ['productPublish', 'Publish', 'Product published.', 'primary'],
    ['productArchive', 'Archive', 'Product archived.'],
  ],
  ACTIVE: [
    ['productUnpublish', 'Unpublish', 'Product unpublished.'],
    ['productArchive', 'Archive', 'Product archived.'],
  ],
  ARCHIVED: [['productRestore', 'Restore', 'Product restored as a draft.', 'primary']],
};

/** What takes a move back, by the state before it. */
const inverse = {
  productPublish: { DRAFT: ['productUnpublish'] },
  productUnpublish: { ACTIVE: ['productPublish'] },
  productArchive: { DRAFT: ['productRestore'], ACTIVE: ['productRestore', 'productPublish'] },
  productRestore: { ARCHIVED: ['productArchive'] },
};

function Moves({ product: p, changed, remove: askRemove }) {
  return html`${moves[p.status].map(([name, label, done, kind]) => html`<${Move} key=${name} name=${name}
      product=${p} label=${label} done=${done} kind=${kind} changed=${changed} />`)}
    <button type="button" class="button danger-quiet" onClick=${askRemove} data-test="product-delete">Delete</button>`;
}

function Move({ name, product, label, done, kind, changed }) {
  const run = useMutation(move(name));
  return html`<${ActionButton} kind=${kind} done=${done} onStale=${changed} data-test=${name}
    run=${async () => {
      let { version } = (await run({ id: product.id, expectedVersion: product.version })).product;
      changed();
      return async () => {
        for (const back of inverse[name][product.status]) {
          ({ version } = (await mutation(move(back))({ id: product.id, expectedVersion: version })).product);
        }
        changed();
      };
    }}>${label}<//>`;
}

function Remove({ product: p, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(remove);
  const action = async () => {
    await run({ id: p.id, expectedVersion: p.version });
    notify('Product deleted.');
    go(to('/products'), { replace: true });
  };
  return html`<${Confirm} title="Delete this product?" name="product-delete" submit="Delete"
    onClose=${onClose} onStale=${changed} action=${action}>
    <p><strong><bdi>${p.title}</bdi></strong> is permanently deleted. Orders keep their copy of its data.
      To keep it but stop selling it, archive it instead.</p>
  <//>`;
}
