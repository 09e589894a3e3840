// Amounts are integers of minor units below 2^53. They are formatted and parsed as text, never as
// fractions.
import { digits } from './currencies.js';

const maxMinor = 9007199254740991;

/**
 * Returns the number of decimal digits of a currency, from the server's table: browsers differ for
 * some currencies.
 * @param {string} currency
 * @returns {number}
 */
export function decimals(currency) {
  return digits[currency] ?? 2;
}

export const currencies = Object.keys(digits);

/**
 * The amount as a plain decimal, "12.30".
 * @param {number} minor
 * @param {string} currency
 */
export function plain(minor, currency) {
  const n = decimals(currency);
  const text = String(minor).padStart(n + 1, '0');
  return n === 0 ? text : text.slice(0, -n) + '.' + text.slice(-n);
}

// Countries whose currency does not start with their own code.
const shared = {
  EUR: 'AD AT AX BE BG BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM TF VA XK YT',
  USD: 'AS BQ EC FM GU IO MH MP PR PW SV TC TL UM VG VI', AUD: 'CC CX HM KI NF NR TV', NZD: 'CK NU PN TK',
  NOK: 'BV SJ', DKK: 'FO GL', GBP: 'GG IM JE', CHF: 'LI', ILS: 'PS', MAD: 'EH',
  XOF: 'BF BJ CI GW ML NE SN TG', XAF: 'CF CG CM GA GQ TD', XCD: 'AG AI DM GD KN LC MS VC', XPF: 'NC PF WF',
};
const byCountry = Object.fromEntries([...currencies.filter((c) => c[0] !== 'X').map((c) => [c.slice(0, 2), c]),
  ...Object.entries(shared).flatMap(([c, list]) => list.split(' ').map((code) => [code, c]))]);
delete byCountry.EU;

/** All countries with a currency of their own or a shared one. */
export const countriesWithCurrency = Object.keys(byCountry);

/** The currency of a country; undefined if it is not known. */
export const currencyOf = (country) => byCountry[country];

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
 * The amount in the browser's format. The text is passed to the number format, which keeps all
 * digits.
 * @param {number} minor
 * @param {string} currency
 */
export function money(minor, currency) {
  return format(currency, false).format(plain(minor, currency));
}

/** The amount in short form, for an axis. */
export function compactMoney(minor, currency) {
  return format(currency, true).format(plain(Math.round(minor), currency));
}

/**
 * Parses an amount. One point or comma separates the decimals. More separators, or more decimals
 * than the currency has, are rejected.
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
  if (minor.length > 16 || BigInt(minor) > BigInt(maxMinor)) {
    throw new RangeError('The amount is too large.');
  }
  return Number(minor);
}

/** Formats a tax rate in the browser's language. */
export const percentText = (rate) => new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 4 })
  .format(Number(rate) / 100);
