// The states of a list as tabs above it, each with how many there are.
import { html } from './lib.js';
import { words } from './ui.js';

/** A number that was counted up to a bound, as people read it. */
const counted = (c) => c.value.toLocaleString() + (c.more ? '+' : '');

/**
 * Links to the list with each state, and to all of it.
 * @param {{label: string, values: string[], value: string, address: (value: string) => string,
 *   counts?: Object<string, {value: number, more: boolean}>}} props
 */
export function StateTabs({ label, values, value = '', address, counts }) {
  const tab = (v, text, count) => html`<li key=${v}>
    <a href=${address(v)} aria-current=${v === value ? 'page' : undefined} data-test=${'tab-' + v.toLowerCase()}>${text}
      ${count && html` <span class="tab-count">${counted(count)}</span>`}</a></li>`;
  return html`<nav class="tabs" aria-label=${label}><ul>
    ${tab('', 'All')}${values.map((v) => tab(v, words(v), counts?.[v.toLowerCase()]))}</ul></nav>`;
}
