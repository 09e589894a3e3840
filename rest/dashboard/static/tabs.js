// The states of a list as tabs with counts.
import { html } from './lib.js';
import { humanize } from './ui.js';

/** A count that stops at a limit: "1,000+". */
const countText = (c) => c.value.toLocaleString() + (c.more ? '+' : '');

/**
 * Links to the list with each state, and to all of it.
 * @param {{label: string, values: string[], value: string, address: (value: string) => string,
 *   counts?: Object<string, {value: number, more: boolean}>}} props
 */
export function StateTabs({ label, values, value = '', address, counts }) {
  const tab = (v, text, count) => html`<li key=${v}>
    <a href=${address(v)} aria-current=${v === value ? 'page' : undefined} data-test=${'tab-' + v.toLowerCase()}>${text}
      ${count && html` <span class="tab-count">${countText(count)}</span>`}</a></li>`;
  return html`<nav class="tabs" aria-label=${label}><ul>
    ${tab('', 'All')}${values.map((v) => tab(v, humanize(v), counts?.[v.toLowerCase()]))}</ul></nav>`;
}
