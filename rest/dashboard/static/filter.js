// The filters above a list. What they say is in the address, so a filtered list
// can be kept, sent and gone back to.
import { html, useLayoutEffect, useRef } from './lib.js';
import { words } from './ui.js';
import { go } from './context.js';

/** The row of filters; clear is the address without any. */
export function Filters({ children, clear }) {
  return html`<form class="filters" role="search" onSubmit=${(e) => e.preventDefault()} data-test="filters">
    ${children}
    ${clear && html`<button type="button" class="button small quiet" onClick=${() => go(clear)}
      data-test="clear-filters">Clear filters</button>`}
  </form>`;
}

/** A tag, whole. */
export const FilterTag = ({ value, set }) => html`<${FilterInput} name="tag" label="Tag" value=${value} set=${set}
  autocomplete="off" maxlength="64" />`;

/** One of several values, or any; shown says how a value is called. */
export function FilterSelect({ name, label, value = '', values, set, shown = words }) {
  return html`<label class="filter"><span>${label}</span>
    <select name=${name} value=${value} onChange=${(e) => set({ [name]: e.target.value })}>
      <option value="">Any</option>
      ${values.map((v) => html`<option key=${v} value=${v} selected=${v === value}>${shown(v)}</option>`)}
    </select></label>`;
}

const sorts = [['', 'Newest first'], ['OLDEST', 'Oldest first'], ['UPDATED', 'Last changed']];

/** Which order a list may have: what is searched is newest first, what is filtered is not sorted by its changes. */
export function sortOf(f, filtered) {
  const may = f.q || f.tag ? sorts.slice(0, 1) : filtered ? sorts.slice(0, 2) : sorts;
  const value = may.some(([v]) => v === f.sort) ? f.sort : '';
  return { may, value, sort: value || undefined };
}

/** How a list is sorted. */
export function FilterSort({ of: { may, value }, set }) {
  return html`<label class="filter"><span>Sort</span>
    <select name="sort" value=${value} onChange=${(e) => set({ sort: e.target.value })} disabled=${may.length === 1}>
      ${may.map(([v, t]) => html`<option key=${v} value=${v} selected=${v === value}>${t}</option>`)}
    </select></label>`;
}

/**
 * A text or a day; it counts when the person leaves it or presses Enter. What is being typed stays while the list is
 * drawn again: only another address changes it.
 */
export function FilterInput({ name, label, value = '', type = 'text', set, ...rest }) {
  const ref = useRef(null);
  useLayoutEffect(() => {
    ref.current.value = value;
  }, [value]);
  return html`<label class="filter"><span>${label}</span>
    <input name=${name} type=${type} ref=${ref} onChange=${(e) => set({ [name]: e.target.value.trim() })}
      ...${rest} /></label>`;
}
