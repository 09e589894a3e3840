// Taxes: rates by place and category, and the store's own categories.
import { html, useState } from '../lib.js';
import { useQuery } from '../context.js';
import { Page, Card, Pending } from '../ui.js';
import { Check, Field, Form, Select, text, useAction, errors } from '../form.js';
import { CountrySelect, RegionField, countryName, forget } from '../countries.js';
import { Rows, rowsOf } from '../rows.js';
import { settings, taxRate } from '../selling.js';
import { TaxCategory, ownCategories } from '../tax_category.js';
import { aboutPreset, presetOptions, presetRates } from '../tax_presets.js';

const read = `{ taxSettings { pricesIncludeTax version shippingCategory vatId reverseCharge categories { key name }
  rates { country region name rate category relation shipping } } }`;
const update = `mutation TaxSettingsUpdate($expectedVersion: Long!, $input: TaxSettingsInput!) {
  taxSettingsUpdate(expectedVersion: $expectedVersion, input: $input) { taxSettings { version } ${errors} } }`;

/** The key of a new category: its name in lower-case ASCII. */
const keyOf = (name, taken) => {
  const key = name.normalize('NFKD').toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '').slice(0, 30)
    || 'category';
  let [free, n] = [key, 2];
  while (taken.includes(free)) {
    free = key + '_' + n++;
  }
  return free;
};

/** The categories of the form. Those that exist keep their keys. */
function categoriesOf(v) {
  const list = rowsOf(v, 'categories', '.name', (at) => ({ key: v.get(at + '.key'), name: v.get(at + '.name') }));
  const taken = ['standard', 'reduced', 'zero', 'exempt', ...list.map((c) => c.key)];
  return list.map((c) => {
    const key = c.key || keyOf(c.name, taken);
    taken.push(key);
    return { key, name: c.name };
  });
}

const ratesOf = (v) => rowsOf(v, 'rates', '.country', (at) => ({
  country: (v.get(at + '.country') ?? '').trim(), region: text(v, at + '.region'), name: v.get(at + '.name'),
  rate: taxRate(v, at + '.rate'), category: v.get(at + '.category'), relation: v.get(at + '.relation'),
  shipping: v.get(at + '.shipping') === 'on',
}));

/** Rates with those of a preset instead of the ones for the same countries. */
const withPreset = (rates, preset) => [
  ...rates.filter((r) => !preset.some((p) => p.country === r.country)), ...preset,
].sort((a, b) => countryName(a.country).localeCompare(countryName(b.country)));

export function Tax() {
  const query = useQuery(read);
  const now = query.data?.taxSettings;
  const action = useAction(update, (v) => {
    const preset = presetRates(v.get('preset'));
    return { expectedVersion: now.version, input: {
      pricesIncludeTax: v.get('pricesIncludeTax') === 'on', shippingCategory: v.get('shippingCategory'),
      vatId: v.get('vatId').trim(), reverseCharge: v.get('reverseCharge') === 'on',
      categories: categoriesOf(v), rates: preset ? withPreset(ratesOf(v), preset) : ratesOf(v),
    } };
  }, 'Tax settings saved.', () => {
    forget(ownCategories);
    query.reload();
  });
  return html`<${Page} title="Tax" back=${settings} lead="The shipping address decides which rates apply.">
    <${Card} title="Rates" name="taxes">
      ${!now ? html`<${Pending} of=${query} rows=${4} />`
        : html`<${Form} name="tax" submit="Save" action=${action} onStale=${query.reload} key=${now.version}>
            <${Check} name="pricesIncludeTax" label="Prices include tax" value=${now.pricesIncludeTax}
              hint="Shoppers then pay the same price everywhere. Otherwise tax is added to the price." />
            <${Preset} />
            <${Rows} name="rates" legend="Rates" one="Rate" max="500" initial=${now.rates} row=${Rate}
              hint="Places without a rate are not taxed. A category without a rate of its own has the standard rate." />
            <${Rows} name="categories" legend="Your own categories" one="Category" max="50" initial=${now.categories}
              row=${Category} fixed=${true}
              hint="Besides Standard, Reduced, Zero-rated and Exempt. Saved categories can be renamed, not removed." />
            <${TaxCategory} name="shippingCategory" label="Category of shipping" value=${now.shippingCategory} />
            <${Field} name="vatId" label="Your VAT ID" optional value=${now.vatId} maxlength="20" autocomplete="off" />
            <${Check} name="reverseCharge" label="Reverse charge in the European Union" value=${now.reverseCharge}
              hint="Companies in other EU countries that enter a VAT ID pay no tax. Only its form is checked." />
          <//>`}
    <//>
  <//>`;
}

function Preset() {
  const [chosen, setChosen] = useState('');
  return html`<${Select} name="preset" label="Add the usual rates of" optional value=${chosen}
    options=${[['', ''], ...presetOptions()]} onChange=${(e) => setChosen(e.target.value)}
    hint=${chosen ? aboutPreset(chosen) : 'They replace the rates of the same countries when you save.'} />`;
}

/** How a tax relates to others. That of a country has no larger area. */
const relations = (region) => (region
  ? [['REPLACE', 'Instead of the country\u2019s'], ['BESIDE', 'In addition, on the price'],
    ['UPON', 'In addition, on the price with the other taxes']]
  : [['REPLACE', 'On the price'], ['UPON', 'On the price with the other taxes']]);

function Rate({ at, of }) {
  const [country, setCountry] = useState(of.country ?? '');
  const [region, setRegion] = useState(of.region ?? '');
  return html`<div class="variant-cells">
    <${CountrySelect} name=${at + '.country'} label="Country" value=${country} required
      onChange=${(e) => setCountry(e.target.value)} />
    <${RegionField} name=${at + '.region'} label="Region" maxlength="255" country=${country} by="code"
      value=${country === of.country ? of.region : ''} onChange=${(e) => setRegion(e.target.value)} />
    <${Field} name=${at + '.name'} label="Name" value=${of.name} required maxlength="64" autocomplete="off" />
    <${Field} name=${at + '.rate'} label="Percent" value=${of.rate} required inputmode="decimal"
      autocomplete="off" />
    <${TaxCategory} name=${at + '.category'} label="Category" value=${of.category ?? 'standard'} />
    <${Select} name=${at + '.relation'} label="Applies" options=${relations(region)}
      value=${!region && of.relation === 'BESIDE' ? 'REPLACE' : of.relation ?? 'REPLACE'} />
    </div>
    <${Check} name=${at + '.shipping'} label="Also tax shipping" value=${of.shipping ?? true} />`;
}

function Category({ at, of }) {
  return html`<input type="hidden" name=${at + '.key'} value=${of.key ?? ''} />
    <${Field} name=${at + '.name'} label="Name" value=${of.name} required maxlength="64" autocomplete="off"
      hint="For example, Books" />`;
}
