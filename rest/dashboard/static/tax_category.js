// A field for a tax category.
import { html } from './lib.js';
import { Select } from './form.js';
import { useCached } from './countries.js';

const standardCategories = [
  ['standard', 'Standard'], ['reduced', 'Reduced'], ['zero', 'Zero-rated'], ['exempt', 'Exempt'],
];

/** The query of the store's own categories. */
export const ownCategories = '{ taxSettings { categories { key name } } }';

/** A select of the store's tax categories. none is the label of no choice, if there is one. */
export function TaxCategory({ value, none, label = 'Tax category', ...rest }) {
  const own = useCached(ownCategories)?.taxSettings.categories ?? [];
  const all = [...none ? [['', none]] : [], ...standardCategories, ...own.map((c) => [c.key, c.name])];
  return html`<${Select} label=${label} value=${value} options=${all} ...${rest} />`;
}
