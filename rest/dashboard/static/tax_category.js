// A field for a tax category.
import { html } from './lib.js';
import { Select } from './form.js';
import { useCached } from './countries.js';

const standardCategories = [
  ['standard', 'Standard'], ['reduced', 'Reduced'], ['zero', 'Zero-rated'], ['exempt', 'Exempt'],
];

/** A select of the store's tax categories. none is the label of no choice, if there is one. */
export function TaxCategory({ value, none, label = 'Tax category', ...rest }) {
  const own = useCached('{ taxSettings { categories { key name } } }')?.taxSettings.categories ?? [];
  const all = [...none ? [['', none]] : [], ...standardCategories, ...own.map((c) => [c.key, c.name])];
  return html`<${Select} label=${label} value=${value} options=${all} ...${rest} />`;
}
