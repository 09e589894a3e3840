// What the pages for shipping, tax and discounts share.
import { FieldError, text } from './form.js';
import { to } from './route.js';

export const settings = { href: to('/settings'), text: 'Settings' };

/** Reads a percentage with up to two decimals, in hundredths of a percent. */
export function percentage(v, name) {
  const found = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(text(v, name) ?? '');
  const points = found && Number(found[1] + (found[2] ?? '').padEnd(2, '0'));
  if (!found || points > 10000) {
    throw new FieldError(name, 'Enter a percentage up to 100, such as 19 or 7.75.');
  }
  return points;
}

/** Reads a tax rate: a percentage with up to four decimals, as the API has it. */
export function taxRate(v, name) {
  const rate = (text(v, name) ?? '').replace(',', '.');
  if (!/^\d{1,3}(\.\d{1,4})?$/.test(rate) || Number(rate) > 100) {
    throw new FieldError(name, 'Enter a percentage up to 100, such as 19 or 8.875.');
  }
  return rate;
}

/** Formats hundredths of a percent. */
export const percent = (points) => (points == null ? '' : String(points / 100));
