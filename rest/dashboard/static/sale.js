// The sale of a product and its former prices.
import { html, useState } from './lib.js';
import { useApp, useQuery } from './context.js';
import { Button, Card, Empty, Facts, Money, Pending, Time, isolate } from './ui.js';
import { Amount, ConfirmMutation, FieldError, FormDialog, errors, optionalAmount, useAction } from './form.js';
import { LocalTimeField, localTimeOf } from './local_time_field.js';
import { Table } from './list.js';

export const saleFields = `saleStartsAt saleEndsAt
  currentPrice { priceMinor compareAtPriceMinor lowestPriceMinor }`;

const save = `mutation ProductSaleSet($id: ID!, $expectedVersion: Long!, $sale: SaleInput) {
  productSaleSet(id: $id, expectedVersion: $expectedVersion, sale: $sale) { product { id } ${errors} } }`;
const history = `query PriceHistory($id: ID!, $after: String) { product(id: $id) {
  priceHistory(first: 25, after: $after) { nodes { variantId until offered priceMinor compareAtPriceMinor
    salePriceMinor saleStartsAt saleEndsAt } pageInfo { hasNextPage endCursor } } } }`;

/** The period of a sale in words. */
function Period({ from, until }) {
  if (!from && !until) {
    return 'Without a time limit';
  }
  return html`${from && html`From <${Time} at=${from} />`}${from && until && ' '}${until &&
    html`${from ? 'until' : 'Until'} <${Time} at=${until} />`}`;
}

function entered(v, { product: p, zone }) {
  const prices = p.variants.flatMap((one, i) => {
    const priceMinor = optionalAmount(v, 'sale.' + i, p.currency);
    if (priceMinor !== null && priceMinor >= one.priceMinor) {
      throw new FieldError('sale.' + i, 'The sale price must be below the price.');
    }
    return priceMinor === null ? [] : [{ variantId: one.id, priceMinor }];
  });
  if (prices.length === 0) {
    throw new FieldError('sale.0', 'Enter a sale price.');
  }
  return { startsAt: localTimeOf(v, 'startsAt', zone, p.saleStartsAt),
    endsAt: localTimeOf(v, 'endsAt', zone, p.saleEndsAt), prices };
}

function Edit({ product: p, onClose, changed }) {
  const { zone } = useApp();
  const action = useAction(save, (v) => ({
    id: p.id, expectedVersion: p.version, sale: entered(v, { product: p, zone }),
  }), 'Sale saved.', changed);
  return html`<${FormDialog} title="Sale" name="sale" submit="Save" onClose=${onClose} action=${action}
      onStale=${changed}>
    <div class="pair">
      <${LocalTimeField} name="startsAt" label="From" optional at=${p.saleStartsAt} zone=${zone}
        hint="Leave empty to start at once." />
      <${LocalTimeField} name="endsAt" label="Until" optional at=${p.saleEndsAt} zone=${zone}
        hint="Leave empty for no end." />
    </div>
    ${p.variants.map((v, i) => html`<${Amount} key=${v.id} name=${'sale.' + i} optional
      label=${p.options.length > 0 ? 'Sale price of ' + isolate(v.title) : 'Sale price'} minor=${v.salePriceMinor}
      currency=${p.currency} />`)}
  <//>`;
}

/** What shoppers pay now, and the sale. */
export function Sale({ product: p, may, changed }) {
  const [dialog, setDialog] = useState('');
  const close = () => setDialog('');
  const on = p.variants.filter((v) => v.salePriceMinor !== null);
  const now = p.currentPrice;
  const amount = (minor) => html`<${Money} minor=${minor} currency=${p.currency} />`;
  const reduced = now.compareAtPriceMinor !== null && now.compareAtPriceMinor > now.priceMinor;
  return html`<${Card} title="Sale" name="sale" actions=${may && html`
      <${Button} kind="small" act=${() => setDialog('edit')} test="sale-edit">${on.length > 0 ? 'Edit sale'
        : 'Set sale'}<//>
      ${on.length > 0 && html`<${Button} kind="small danger-quiet" act=${() => setDialog('end')}
        test="sale-end">End sale<//>`}`}>
    <${Facts} rows=${[
      ['Shoppers pay now', amount(now.priceMinor)],
      ['Instead of', reduced && amount(now.compareAtPriceMinor)],
      ['Lowest price of the 30 days before', reduced && (now.lowestPriceMinor === null ? 'Not known'
        : amount(now.lowestPriceMinor))],
      ['Sale', on.length > 0 ? html`<${Period} from=${p.saleStartsAt} until=${p.saleEndsAt} />` : 'None'],
      ...on.map((v) => [p.options.length > 0 ? 'Sale price of ' + isolate(v.title) : 'Sale price',
        amount(v.salePriceMinor)]),
    ]} />
    ${dialog === 'edit' && html`<${Edit} product=${p} onClose=${close} changed=${changed} />`}
    ${dialog === 'end' && html`<${ConfirmMutation} title="End this sale?" name="sale-end" submit="End sale"
      document=${save} variables=${{ id: p.id, expectedVersion: p.version, sale: null }} done="Sale ended."
      changed=${changed} onClose=${close}><p>Shoppers pay the price without the sale at once.</p><//>`}
  <//>`;
}

/** The former prices of a product, newest first. */
export function PriceHistory({ product: p }) {
  const [after, setAfter] = useState(null);
  const query = useQuery(history, { id: p.id, after });
  const page = query.data?.product?.priceHistory;
  const amount = (minor) => (minor === null ? '–' : html`<${Money} minor=${minor} currency=${p.currency} />`);
  const title = (id) => p.variants.find((v) => v.id === id)?.title ?? 'Deleted variant';
  const columns = [
    { name: 'until', head: 'Until', main: true, cell: (c) => html`<${Time} at=${c.until} />` },
    ...(p.options.length > 0
      ? [{ name: 'variant', head: 'Variant', cell: (c) => html`<bdi>${title(c.variantId)}</bdi>` }] : []),
    { name: 'price', head: 'Price', cell: (c) => amount(c.priceMinor) },
    { name: 'compare', head: 'Compare-at price', cell: (c) => amount(c.compareAtPriceMinor) },
    { name: 'sale', head: 'Sale', cell: (c) => (c.salePriceMinor === null ? '–' : html`${amount(c.salePriceMinor)}
      <span class="muted"> <${Period} from=${c.saleStartsAt} until=${c.saleEndsAt} /></span>`) },
    { name: 'offered', head: 'Status', cell: (c) => (c.offered ? 'Published' : 'Not published') },
  ];
  return html`<${Card} title="Price history" name="price-history" flush>
    ${!page ? html`<${Pending} of=${query} rows=${2} />`
      : page.nodes.length === 0 ? html`<${Empty} title="No price changes yet" />`
      : html`<${Table} caption="Former prices" columns=${columns} rows=${page.nodes}
        id=${(c) => c.until + c.variantId} />`}
    ${(after || page?.pageInfo.hasNextPage) && html`<p class="row-actions">
      ${after && html`<${Button} kind="small" act=${() => setAfter(null)}>Newest<//>`}
      ${page?.pageInfo.hasNextPage && html`<${Button} kind="small"
        act=${() => setAfter(page.pageInfo.endCursor)}>Older<//>`}</p>`}
  <//>`;
}
