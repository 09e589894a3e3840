// Amounts are whole numbers of minor units, below 2^53. They are shown and read
// as texts: no step of it goes through a fraction.
import { digits } from './currencies.js';

const largest = 9007199254740991;

/**
 * How many decimal digits the currency has. It is the server's table that
 * counts; browsers have other numbers for some.
 * @param {string} currency
 * @returns {number}
 */
export function decimals(currency) {
  return digits[currency] ?? 2;
}

/** Every currency that the server knows. */
export const currencies = Object.keys(digits);

/**
 * The amount as a plain decimal text, "12.30".
 * @param {number} minor
 * @param {string} currency
 */
export function plain(minor, currency) {
  const n = decimals(currency);
  const text = String(minor).padStart(n + 1, '0');
  return n === 0 ? text : text.slice(0, -n) + '.' + text.slice(-n);
}

const formats = new Map();

function format(currency, short) {
  const key = currency + short;
  if (!formats.has(key)) {
    const n = decimals(currency);
    const options = { style: 'currency', currency, minimumFractionDigits: n, maximumFractionDigits: n };
    formats.set(key, new Intl.NumberFormat(undefined, short
      ? { style: 'currency', currency, notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 1 }
      : options));
  }
  return formats.get(key);
}

/**
 * The amount as people read it. The number format gets a text, which it takes
 * digit by digit.
 * @param {number} minor
 * @param {string} currency
 */
export function money(minor, currency) {
  return format(currency, false).format(plain(minor, currency));
}

/** The amount in few letters, for an axis. */
export function shortMoney(minor, currency) {
  return format(currency, true).format(plain(Math.round(minor), currency));
}

/**
 * Reads what a person typed. One point or comma parts the decimals; more of
 * them, or more decimals than the currency has, are refused rather than guessed.
 * @param {string} text
 * @param {string} currency
 * @returns {number} minor units
 * @throws {RangeError} with a sentence for the person
 */
export function parseMoney(text, currency) {
  const n = decimals(currency);
  const found = /^(\d+)(?:[.,](\d*))?$/.exec(text.trim());
  if (!found) {
    throw new RangeError(n === 0 ? 'Enter a whole amount, such as 1500.'
      : 'Enter an amount such as ' + plain(1250, currency) + ', without thousands separators.');
  }
  const fraction = found[2] ?? '';
  if (fraction.length > n) {
    throw new RangeError(n === 0 ? currency + ' has no decimals.' : currency + ' has at most ' + n + ' decimals.');
  }
  const minor = (found[1] + fraction.padEnd(n, '0')).replace(/^0+(?=\d)/, '');
  if (minor.length > 16 || BigInt(minor) > BigInt(largest)) {
    throw new RangeError('The amount is too large.');
  }
  return Number(minor);
}
