// A product: creating, editing and changing its status.
import { html, useState } from '../lib.js';
import { useApp, useAll, useQuery, go } from '../context.js';
import { Page, Card, Badge, Time, Facts, Thumb, Money, MissingPage, Button } from '../ui.js';
import {
  Form, Field, Area, Select, Check, Amount, ActionButton, ConfirmMutation, amount, tagsText, tags, text, transition,
  useAction, useMutation, errors, optionalAmount, optionalNumber, lines,
} from '../form.js';
import { Variants, VariantList, variantFields } from '../variants.js';
import { ProductFiles } from '../product_files.js';
import { ImageList, Images, imagesOf } from '../images.js';
import { PriceHistory, Sale, saleFields } from '../sale.js';
import { StockHistory } from '../stock_history.js';
import { StockPlaces } from '../stock_places.js';
import { CustomFields, VariantCustomFields } from '../custom_fields.js';
import { mutation } from '../api.js';
import { MarkdownEditor } from '../markdown_editor.js';
import { CopyValue, ViewInStore } from '../copy.js';
import { TaxCategory } from '../tax_category.js';
import { to } from '../route.js';

const fields = `id title handle description descriptionFormat status priceMinor compareAtPriceMinor currency sku vendor
  productType tags inventoryQuantity imageUrl requiresShipping taxCategory barcode costMinor
  maker { name address email url safety } videos sizeChartId publishedAt version createdAt updatedAt customFields
  ${variantFields} ${saleFields} ${imagesOf}`;

const read = `query Product($id: ID!) { product(id: $id) { ${fields} } }`;
const create = `mutation ProductCreate($input: ProductCreateInput!) {
  productCreate(input: $input) { product { id } ${errors} } }`;
const update = `mutation ProductUpdate($id: ID!, $expectedVersion: Long!, $input: ProductUpdateInput!) {
  productUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { product { id } ${errors} } }`;
const move = (name) => transition(name, 'product { id version }');
const remove = transition('productDelete', 'deletedId');

/** The input of the mutation. Products with options have price and stock in their variants. */
function input(v, before) {
  const currency = v.get('currency');
  const own = v.has('priceMinor') && {
    priceMinor: amount(v, 'priceMinor', currency),
    compareAtPriceMinor: optionalAmount(v, 'compareAtPriceMinor', currency),
    inventoryQuantity: optionalNumber(v, 'inventoryQuantity'), weightGrams: optionalNumber(v, 'weightGrams'),
    sku: text(v, 'sku'), barcode: text(v, 'barcode'), costMinor: optionalAmount(v, 'costMinor', currency),
  };
  const maker = Object.fromEntries(['name', 'address', 'email', 'url', 'safety']
    .map((k) => [k, text(v, 'maker.' + k)]));
  return {
    title: v.get('title'), description: v.get('description') || null, currency, ...own,
    descriptionFormat: v.has('markdown') ? 'MARKDOWN' : 'TEXT',
    maker: Object.values(maker).some(Boolean) ? maker : null,
    videos: lines(v, 'videos'), sizeChartId: v.get('sizeChartId') || null,
    vendor: text(v, 'vendor'), productType: text(v, 'productType'),
    tags: tags(v, 'tags', before?.tags), imageUrl: text(v, 'imageUrl'),
    requiresShipping: v.has('requiresShipping'), taxCategory: v.get('taxCategory'),
    ...(text(v, 'handle') ? { handle: text(v, 'handle') } : {}),
  };
}

/** The fields of b that differ from a. A description is sent with its format. */
function difference(a, b) {
  const change = Object.fromEntries(Object.entries(b)
    .filter(([k, v]) => JSON.stringify(a[k] ?? null) !== JSON.stringify(v ?? null)));
  return 'description' in change ? { ...change, descriptionFormat: b.descriptionFormat } : change;
}

/** Fields about the product that few products need. */
function MoreInputs({ product: p, fixed }) {
  const pages = useAll('pages', 'id title').nodes;
  const maker = p.maker ?? {};
  return html`<${Card} title="More on the product page">
      <${Area} name="videos" label="Videos" optional rows=${2} value=${(p.videos ?? []).join('\n')} disabled=${fixed}
        hint="Addresses at YouTube or Vimeo, one per line. Shoppers see links." />
      ${pages ? html`<${Select} name="sizeChartId" label="Size chart" optional value=${p.sizeChartId}
        options=${[['', 'None'], ...pages.map((page) => [page.id, page.title])]} disabled=${fixed}
        hint="One of your pages. It is linked while it is published." />`
        : html`<input type="hidden" name="sizeChartId" value=${p.sizeChartId ?? ''} />`}
    <//>
    <${Card} title="Maker and safety">
      <p class="muted">The European Union requires the maker\u2019s name and addresses on the product page.</p>
      <${Field} name="maker.name" label="Maker" optional value=${maker.name} maxlength="255" disabled=${fixed} />
      <${Area} name="maker.address" label="Postal address" optional rows=${3} value=${maker.address} maxlength="1000"
        disabled=${fixed} />
      <${Field} name="maker.email" label="Email" type="email" optional value=${maker.email} maxlength="254"
        disabled=${fixed} />
      <${Field} name="maker.url" label="Website" type="url" optional value=${maker.url} maxlength="2048"
        hint="Starts with https://" disabled=${fixed} />
      <${Area} name="maker.safety" label="Safety information" optional rows=${3} value=${maker.safety}
        maxlength="5000" disabled=${fixed} />
    <//>`;
}

function Inputs({ product: p = {}, fixed }) {
  const { store } = useApp();
  const [currency, setCurrency] = useState(p.currency ?? store.currency);
  const many = p.options?.length > 0;
  const [marked, setMarked] = useState(p.descriptionFormat !== 'TEXT');
  return html`<div class="split">
    <div class="stack">
      <${Card} title="Product">
        <${Field} name="title" label="Title" value=${p.title} required maxlength="255" disabled=${fixed} />
        <${MarkdownEditor} name="description" label="Description" optional value=${p.description} rows=${8}
          maxlength="65535" disabled=${fixed} asText=${!marked} test="description" />
        <${Check} name="markdown" label="Format with Markdown" value=${marked} disabled=${fixed}
          onChange=${(e) => setMarked(e.target.checked)}
          hint="Bold, headings, lists and links. Turn off to show the text as it is." />
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
            onChange=${(e) => setCurrency(e.target.value)} disabled=${fixed}
            hint=${currency === store.currency ? '' : 'Only products in ' + store.currency + ' can be published.'} />
          ${!many && html`<${Field} name="inventoryQuantity" label="Stock" optional
            value=${p.inventoryQuantity == null ? '' : String(p.inventoryQuantity)}
            inputmode="numeric" hint="Leave empty if stock is not tracked." disabled=${fixed} />`}
        </div>
        ${!many && html`<div class="pair"><${Amount} key=${'k' + currency} name="costMinor" label="Cost" optional
          minor=${p.costMinor} currency=${currency} hint="What you pay. Only staff see it." disabled=${fixed} />
        <${Field} name="weightGrams" label="Weight in g" optional
          value=${p.weightGrams == null ? '' : String(p.weightGrams)} inputmode="numeric" disabled=${fixed} /></div>`}
        <${Check} name="requiresShipping" label="This is a physical product" value=${p.requiresShipping ?? true}
          hint="Turn off for downloads and vouchers; shoppers then enter no address." disabled=${fixed} />
        <${TaxCategory} name="taxCategory" value=${p.taxCategory ?? 'standard'} disabled=${fixed} />
      <//>
    </div>
    <div class="stack">
      <${Card} title="Organization">
        ${!many && html`<${Field} name="sku" label="SKU" optional value=${p.sku} maxlength="255" disabled=${fixed} />`}
        ${!many && html`<${Field} name="barcode" label="Barcode (GTIN)" optional value=${p.barcode} maxlength="14"
          inputmode="numeric" disabled=${fixed} />`}
        <${Field} name="vendor" label="Vendor" optional value=${p.vendor} maxlength="255" disabled=${fixed} />
        <${Field} name="productType" label="Type" optional value=${p.productType} maxlength="255" disabled=${fixed} />
        <${Field} name="tags" label="Tags" optional value=${tagsText(p.tags)} hint="Separate tags with commas."
          disabled=${fixed} />
        <${Field} name="handle" label="Handle" optional value=${p.handle} maxlength="120"
          hint=${'Used in the product\u2019s address' + (p.id ? '.' : '. Leave empty to use the title.')}
          autocapitalize="off" spellcheck=${false} disabled=${fixed} />
      <//>
      <${MoreInputs} product=${p} fixed=${fixed} />
    </div>
  </div>`;
}

const back = { href: to('/products'), text: 'Products' };

export function ProductNew() {
  const action = useAction(create, (v) => ({ input: input(v) }), 'Draft created.',
    ({ product }) => go(to('/products/' + product.id), { replace: true }));
  return html`<${Page} title="New product" back=${back} lead="New products are drafts, which shoppers cannot see.">
    <${Form} name="product" submit="Create draft" action=${action}><${Inputs} /><//>
  <//>`;
}

export function ProductEdit({ id }) {
  const { can, notify } = useApp();
  const query = useQuery(read, { id });
  const run = useMutation(update);
  const [deleting, setDeleting] = useState(false);
  // Unsaved changes after someone else has saved, shown over the latest version.
  const [draft, setDraft] = useState(null);
  // The product's version after its images or custom fields were changed beside the form.
  const [besideVersion, setBesideVersion] = useState(null);
  const known = query.data?.product;
  const p = known && besideVersion?.from === known.version ? { ...known, version: besideVersion.version } : known;
  if (!p) {
    return html`<${MissingPage} query=${query} name="Product" icon="products" back=${back} />`;
  }
  const may = can('editProducts');
  // If someone else has changed the product too, the form keeps its version and saving reports the
  // conflict.
  const changedBeside = (version) => version === p.version + 1 && setBesideVersion({ from: known.version, version });
  const action = async (v) => {
    const change = difference(p, input(v, p));
    if (Object.keys(change).length === 0) {
      notify('No changes to save.');
      return;
    }
    await run({ id, expectedVersion: p.version, input: change });
    setDraft(null);
    notify('Product saved.');
    query.reload();
  };
  const stale = (v) => {
    setDraft(difference(p, input(v, p)));
    query.reload();
  };
  return html`<${Page} title=${p.title} back=${back} badges=${html`<${Badge} value=${p.status} />`}
    actions=${html`${p.status === 'ACTIVE' && html`<${ViewInStore} path=${'/products/' + p.handle} />`}
      ${may && html`<${StatusButtons} product=${p} changed=${query.reload} onDelete=${() => setDeleting(true)} />`}`}>
    ${may ? html`<${Form} name="product" submit="Save" action=${action} onStale=${stale} key="form"
        reset=${() => setDraft(null)}>
        <${Inputs} key=${known.version} product=${{ ...p, ...draft }} />
      <//>` : html`<fieldset class="contents" disabled><${Inputs} product=${p} fixed /></fieldset>`}
    ${may ? html`<${Images} key=${'i' + known.version} product=${p} changed=${changedBeside} />`
      : p.images.length > 0 && html`<${ImageList} product=${p} />`}
    ${may ? html`<${Variants} key=${'v' + known.version} product=${p} changed=${query.reload} />`
      : p.options.length > 0 && html`<${VariantList} product=${p} />`}
    ${may && html`<${ProductFiles} key=${'f' + known.version} product=${p} />`}
    <${Sale} product=${p} may=${may} changed=${query.reload} />
    <${PriceHistory} key=${'h' + known.version} product=${p} />
    <${StockPlaces} key=${'l' + known.version} product=${p} may=${may} changed=${query.reload} />
    <${StockHistory} key=${'s' + known.version} product=${p} />
    <${CustomFields} owner="PRODUCT" id=${p.id} version=${p.version} values=${p.customFields} may=${may}
      changed=${changedBeside} stale=${query.reload} />
    <${VariantCustomFields} key=${'c' + known.version} product=${p} may=${may} changed=${changedBeside}
      stale=${query.reload} />
    <${Card} title="Details"><${Facts} rows=${[
      ['Published', p.publishedAt && html`<${Time} at=${p.publishedAt} />`],
      ['Created', html`<${Time} at=${p.createdAt} />`], ['Changed', html`<${Time} at=${p.updatedAt} />`],
      ['Price', html`<${Money} minor=${p.priceMinor} currency=${p.currency} />`],
      ['Events', can('events') && html`<a href=${to('/events', { resource: p.id })}>Show events</a>`],
      ['ID', html`<${CopyValue} text=${p.id} what="the ID" />`],
    ]} /><//>
    ${deleting && html`<${Remove} product=${p} onClose=${() => setDeleting(false)} changed=${query.reload} />`}
  <//>`;
}

const transitions = {
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

/** The transitions that undo one, by the previous status. */
const inverse = {
  productPublish: { DRAFT: ['productUnpublish'] },
  productUnpublish: { ACTIVE: ['productPublish'] },
  productArchive: { DRAFT: ['productRestore'], ACTIVE: ['productRestore', 'productPublish'] },
  productRestore: { ARCHIVED: ['productArchive'] },
};

function StatusButtons({ product: p, changed, onDelete }) {
  return html`${transitions[p.status].map(([name, label, done, kind]) => html`<${StatusButton} key=${name} name=${name}
      product=${p} label=${label} done=${done} kind=${kind} changed=${changed} />`)}
    <${Button} kind="danger-quiet" act=${onDelete} test="product-delete">Delete<//>`;
}

function StatusButton({ name, product, label, done, kind, changed }) {
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
  return html`<${ConfirmMutation} title="Delete this product?" name="product-delete" submit="Delete"
    document=${remove} variables=${{ id: p.id, expectedVersion: p.version }} done="Product deleted."
    changed=${() => go(to('/products'), { replace: true })} onStale=${changed} onClose=${onClose}>
    <p><strong><bdi>${p.title}</bdi></strong> is permanently deleted. Orders keep their copy of its data,
      but buyers can no longer download its files.
      To keep it but stop selling it, archive it instead.</p>
  <//>`;
}
