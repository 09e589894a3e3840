// Tables as CSV files (RFC 4180), written in the browser.

/** Spreadsheets would run these cells as formulas. */
const risky = /^[=+\-@\t\r]/;

const cell = (value) => {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && risky.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
};

/** The text of a file. @param {string[]} heads @param {(string|number|null)[][]} rows */
export const csv = (heads, rows) => [heads, ...rows].map((r) => r.map(cell).join(',') + '\r\n').join('');

/** Saves a text as a file of this device. */
export function saveFile(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
