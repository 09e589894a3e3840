// The filters above a list. They are kept in the address, so that a filtered list can be bookmarked
// and shared.
import { html, useLayoutEffect, useRef } from './lib.js';
import { Button, humanize } from './ui.js';
import { go } from './context.js';

/** The row of filters. clear is the address without filters. */
export function Filters({ children, clear }) {
  return html`<form class="filters" role="search" onSubmit=${(e) => e.preventDefault()} data-test="filters">
    ${children}
    ${clear && html`<${Button} kind="small quiet" act=${() => go(clear)} test="clear-filters">Clear filters<//>`}
  </form>`;
}

export const FilterTag = ({ value, set }) => html`<${FilterInput} name="tag" label="Tag" value=${value} set=${set}
  autocomplete="off" maxlength="64" />`;

/** A select of one value or any. format formats a value. */
export function FilterSelect({ name, label, value = '', values, set, format = humanize }) {
  return html`<label class="filter"><span>${label}</span>
    <select name=${name} value=${value} onChange=${(e) => set({ [name]: e.target.value })}>
      <option value="">Any</option>
      ${values.map((v) => html`<option key=${v} value=${v} selected=${v === value}>${format(v)}</option>`)}
    </select></label>`;
}

const sorts = [['', 'Newest first'], ['OLDEST', 'Oldest first'], ['UPDATED', 'Last changed']];

/** The sort orders that a list supports: searches only newest first, filtered lists not by update. */
export function sortOf(f, filtered) {
  const may = f.q || f.tag ? sorts.slice(0, 1) : filtered ? sorts.slice(0, 2) : sorts;
  const value = may.some(([v]) => v === f.sort) ? f.sort : '';
  return { may, value, sort: value || undefined };
}

export function FilterSort({ of: { may, value }, set }) {
  return html`<label class="filter"><span>Sort</span>
    <select name="sort" value=${value} onChange=${(e) => set({ sort: e.target.value })} disabled=${may.length === 1}>
      ${may.map(([v, t]) => html`<option key=${v} value=${v} selected=${v === value}>${t}</option>`)}
    </select></label>`;
}

/** A text or date filter, applied on blur or Enter. Re-rendering the list keeps what is being typed. */
export function FilterInput({ name, label, value = '', type = 'text', set, ...rest }) {
  const ref = useRef(null);
  useLayoutEffect(() => {
    ref.current.value = value;
  }, [value]);
  return html`<label class="filter"><span>${label}</span>
    <input name=${name} type=${type} ref=${ref} onChange=${(e) => set({ [name]: e.target.value.trim() })}
      ...${rest} /></label>`;
}
