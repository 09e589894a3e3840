// One form that sets up what a new store lacks: shipping, taxes, payment and legal pages.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { send } from './api.js';
import { Amount, Area, Check, FormDialog, amount, errors, optionalAmount, text, useMutation } from './form.js';
import { CountrySelect, countryName, likelyCountry } from './countries.js';
import { presetOf, presetRates } from './tax_presets.js';
import { setupPages } from './setup_pages.js';
import { setupQuery, stateOf } from './setup.js';

const zoneCreate = `mutation ShippingZoneCreate($input: ShippingZoneInput!) {
  shippingZoneCreate(input: $input) { shippingZone { id } ${errors} } }`;
const taxUpdate = `mutation TaxSettingsUpdate($expectedVersion: Long!, $input: TaxSettingsInput!) {
  taxSettingsUpdate(expectedVersion: $expectedVersion, input: $input) { taxSettings { version } ${errors} } }`;
const paymentUpdate = `mutation PaymentSettingsUpdate($expectedVersion: Long!, $input: PaymentSettingsInput!) {
  paymentSettingsUpdate(expectedVersion: $expectedVersion, input: $input) { paymentSettings { version } ${errors} } }`;
const pageCreate = `mutation PageCreate($input: PageCreateInput!) {
  pageCreate(input: $input) { page { id } ${errors} } }`;

/** Countries whose prices are usually shown without tax. */
const netPrices = ['US', 'CA'];

/** One form for shipping, taxes, payment and legal pages. It changes only what is not set up yet. */
export function QuickSetup({ onClose, changed }) {
  const { store, notify } = useApp();
  const [country, setCountry] = useState(likelyCountry);
  const run = { zone: useMutation(zoneCreate), tax: useMutation(taxUpdate), payment: useMutation(paymentUpdate),
    page: useMutation(pageCreate) };
  const action = async (v) => {
    const price = amount(v, 'price', store.currency);
    const abroad = optionalAmount(v, 'abroad', store.currency);
    const { data } = await send(setupQuery); // another tab or an earlier try may have done a part
    try {
      await setUp(run, data, { country: v.get('country'), price, abroad, included: v.get('included') === 'on',
        transfer: text(v, 'instructions') });
    } finally {
      changed();
    }
    notify('Your shop is set up. Check each step before you sell.');
  };
  return html`<${FormDialog} title="Quick setup" name="quick-setup" submit="Set up" action=${action}
    onClose=${onClose}>
    <p class="muted">You can change everything later. What you have set up already stays as it is.</p>
    <${CountrySelect} name="country" label="Your country" value=${country} required
      onChange=${(e) => setCountry(e.target.value)} />
    <div class="pair">
      <${Amount} name="price" label="Shipping in your country" currency=${store.currency} />
      <${Amount} name="abroad" label="To all other countries" optional currency=${store.currency}
        hint="Leave empty to ship only in your country." />
    </div>
    <${Check} key=${country} name="included" label="Prices include tax" value=${!netPrices.includes(country)}
      hint=${presetOf(country) ? 'The usual rates of your country are added.'
        : 'There are no usual rates for this country: add them under Tax.'} />
    <${Area} name="instructions" label="Bank details for transfers" optional rows=${3} maxlength="5000"
      hint="Shoppers see them after they order. No money is taken by the shop itself." />
  <//>`;
}

/** Sets up what the state of the store lacks. */
async function setUp(run, data, { country, price, abroad, included, transfer }) {
  const done = stateOf(data);
  const rates = (minor) => [{ name: 'Standard', kind: 'DELIVERY', priceMinor: minor }];
  if (!done.shipping) {
    await run.zone({ input: { name: countryName(country), countries: [country], restOfWorld: false,
      rates: rates(price) } });
    if (abroad !== null) {
      await run.zone({ input: { name: 'Rest of the world', countries: [], restOfWorld: true, rates: rates(abroad) } });
    }
  }
  if (!done.tax) {
    await run.tax({ expectedVersion: data.taxSettings.version, input: { pricesIncludeTax: included,
      rates: presetRates(presetOf(country, abroad !== null)) ?? [] } });
  }
  const missing = setupPages.filter((p) => !data.pages.nodes.some((own) => own.kind === p.kind));
  for (const page of done.drafts ? [] : missing) {
    await run.page({ input: page });
  }
  const { version, kinds, methods } = data.paymentSettings;
  const offered = kinds.includes('TEST') ? { kind: 'TEST', name: 'Test payment', active: true }
    : transfer && { kind: 'BANK_TRANSFER', name: 'Bank transfer', instructions: transfer, active: true };
  if (!done.payment && offered && methods.length === 0) {
    await run.payment({ expectedVersion: version, input: { methods: [offered] } });
  }
}
