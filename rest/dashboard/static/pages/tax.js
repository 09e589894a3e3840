// Tax rates.
import { html, useState } from '../lib.js';
import { useApp, useQuery } from '../context.js';
import { Page, Card, Pending } from '../ui.js';
import { Check, Field, Form, text, useMutation, errors } from '../form.js';
import { CountrySelect, RegionField } from '../countries.js';
import { Rows, rowsOf } from '../rows.js';
import { percent, percentage, settings } from '../selling.js';

const read = `{ taxSettings { pricesIncludeTax version rates { country region name basisPoints shipping } } }`;
const update = `mutation TaxSettingsUpdate($expectedVersion: Long!, $input: TaxSettingsInput!) {
  taxSettingsUpdate(expectedVersion: $expectedVersion, input: $input) { taxSettings { version } ${errors} } }`;

export function Tax() {
  const { notify } = useApp();
  const query = useQuery(read);
  const run = useMutation(update);
  const now = query.data?.taxSettings;
  const action = async (v) => {
    await run({ expectedVersion: now.version, input: {
      pricesIncludeTax: v.get('pricesIncludeTax') === 'on',
      rates: rowsOf(v, 'rates', '.country', (at) => ({
        country: (v.get(at + '.country') ?? '').trim(), region: text(v, at + '.region'),
        name: v.get(at + '.name'), basisPoints: percentage(v, at + '.basisPoints'),
        shipping: v.get(at + '.shipping') === 'on',
      })),
    } });
    notify('Tax settings saved.');
    query.reload();
  };
  return html`<${Page} title="Tax" back=${settings} lead="The shipping address decides which rate applies.">
    <${Card} title="Rates" name="taxes">
      ${!now ? html`<${Pending} of=${query} rows=${4} />`
        : html`<${Form} name="tax" submit="Save" action=${action} onStale=${query.reload} key=${now.version}>
            <${Check} name="pricesIncludeTax" label="Prices include tax" value=${now.pricesIncludeTax}
              hint="Shoppers then pay the same price everywhere. Otherwise tax is added to the price." />
            <${Rows} name="rates" legend="Rates" one="Rate" max="500" initial=${now.rates} row=${Rate}
              hint="A region's rate replaces its country's. Elsewhere no tax is charged." />
          <//>`}
    <//>
  <//>`;
}

function Rate({ at, of }) {
  const [country, setCountry] = useState(of.country ?? '');
  return html`<div class="pair">
      <${CountrySelect} name=${at + '.country'} label="Country" value=${country} required
        onChange=${(e) => setCountry(e.target.value)} />
      <${RegionField} name=${at + '.region'} label="Region" optional maxlength="255" country=${country} by="code"
        value=${country === of.country ? of.region : ''} />
    </div>
    <div class="pair">
      <${Field} name=${at + '.name'} label="Name" value=${of.name} required maxlength="64" autocomplete="off"
        hint="For example, VAT" />
      <${Field} name=${at + '.basisPoints'} label="Rate in percent" value=${percent(of.basisPoints)} required
        inputmode="decimal" autocomplete="off" />
    </div>
    <${Check} name=${at + '.shipping'} label="Also tax shipping" value=${of.shipping ?? true} />`;
}
