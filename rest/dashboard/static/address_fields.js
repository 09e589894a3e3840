import { html, useState } from './lib.js';
import { CountrySelect, RegionField } from './countries.js';
import { Field, text } from './form.js';

export const addressFields = 'name company line1 line2 city region postalCode country phone';

const members = addressFields.split(' ');

/** Fields of an address; their names start with name, as in "shippingAddress.city". */
export function AddressFields({ name, legend, of }) {
  const [country, setCountry] = useState(of?.country ?? '');
  const field = (member, label, rest = {}) => html`<${Field} name=${name + '.' + member} label=${label} optional
    value=${of?.[member]} maxlength="255" ...${rest} />`;
  return html`<fieldset class="rows" name=${name}><legend>${legend} <span class="muted">(optional)</span></legend>
    <div class="pair">${field('name', 'Name')}${field('company', 'Company')}</div>
    ${field('line1', 'Street and number')}${field('line2', 'Apartment, suite, etc.')}
    <div class="pair">${field('postalCode', 'Postal code')}${field('city', 'City')}</div>
    <div class="pair">
      <${CountrySelect} name=${name + '.country'} label="Country" optional value=${country}
        onChange=${(e) => setCountry(e.target.value)} />
      <${RegionField} name=${name + '.region'} label="Region" optional maxlength="255" country=${country}
        value=${country === (of?.country ?? '') ? of?.region : ''} />
    </div>
    ${field('phone', 'Phone', { type: 'tel' })}
  </fieldset>`;
}

/** Returns the address that was entered; null if all fields are empty. The server reports missing fields. */
export function addressOf(values, name) {
  const typed = Object.fromEntries(members.map((m) => [m, text(values, name + '.' + m)]));
  if (Object.values(typed).every((v) => v === null)) {
    return null;
  }
  const needed = Object.fromEntries(['line1', 'city', 'country'].map((m) => [m, typed[m] ?? '']));
  return { ...typed, ...needed };
}
