// What the pages of shipping, tax and discounts share.
import { Wrong, amount, text } from './form.js';
import { to } from './route.js';

export const errors = 'userErrors { code message path }';
export const settings = { href: to('/settings'), text: 'Settings' };

/** An amount that may be left out. */
export const optionalAmount = (v, name, currency) => (text(v, name) ? amount(v, name, currency) : null);

/** A whole number that may be left out. */
export function optionalNumber(v, name) {
  const typed = text(v, name);
  if (typed && !/^\d{1,10}$/.test(typed)) {
    throw new Wrong(name, 'Enter a whole number, or leave this empty.');
  }
  return typed && Number(typed);
}

/** A percentage with up to two decimals, in hundredths of a percent. */
export function percentage(v, name) {
  const found = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(text(v, name) ?? '');
  const points = found && Number(found[1] + (found[2] ?? '').padEnd(2, '0'));
  if (!found || points > 10000) {
    throw new Wrong(name, 'Enter a percentage up to 100, such as 19 or 7.75.');
  }
  return points;
}

/** Hundredths of a percent as people write a percentage. */
export const percent = (points) => (points == null ? '' : String(points / 100));
