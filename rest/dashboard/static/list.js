// Lists: a table that suits the room it has, its rows, and the pages of a connection.
import { html, useLayoutEffect, useRef } from './lib.js';
import { Icon } from './icons.js';
import { Trouble, Waiting } from './ui.js';

const least = 600; // pixels below which a table is always shown as cards

/**
 * Shows a table in the widest form that fits: all columns, some or more of them folded below the first one, or cards.
 * It measures what is there, since texts, amounts and languages are of any length. What is too wide even so can be
 * moved with the arrow keys.
 */
function fit(box) {
  const slides = box.firstElementChild;
  for (const form of box.clientWidth < least ? ['cards'] : ['wide', 'folded', 'tight', 'cards']) {
    box.dataset.fit = form;
    if (slides.scrollWidth <= slides.clientWidth) {
      slides.removeAttribute('tabindex');
      return;
    }
  }
  slides.tabIndex = 0;
}

/** Keeps a table fitting as the window changes. */
function useFit() {
  const ref = useRef(null);
  useLayoutEffect(() => fit(ref.current));
  useLayoutEffect(() => {
    let width = 0;
    const watch = new ResizeObserver(([e]) => {
      if (e.contentRect.width !== width) {
        width = e.contentRect.width;
        fit(e.target);
      }
    });
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return ref;
}

/** The link of a row: all of the row leads where it does. */
export function RowLink({ href, children, ...rest }) {
  return html`<a class="strong row-link" href=${href} ...${rest}><bdi>${children}</bdi></a>`;
}

const kind = (c) =>
  [c.end && 'end', c.main && 'main', c.wide && 'wide', c.fold && 'folds-' + c.fold].filter(Boolean).join(' ');

/**
 * A table; where it has no room for all columns those with fold stand below the main one, those of 1 before those of 2,
 * and on a narrow screen rows are cards. A column with fold holds no control; with told its head stands there too. With
 * picked, rows can be chosen.
 * @param {{caption: string, columns: {name: string, head: string, cell: (row: any) => any, end?: boolean,
 *   wide?: boolean, main?: boolean, fold?: 1|2, told?: boolean}[], rows: any[], id?: (row: any) => string,
 *   picked?: {has: (id: string) => boolean, toggle: (ids: string[], on: boolean) => void,
 *     name: (row: any) => string}}} props
 */
export function Table({ caption, columns, rows, id = (r) => r.id, picked }) {
  const ref = useFit();
  const folded = columns.filter((c) => c.fold);
  const cell = (c, r) => html`${c.cell(r)}${c.main && folded.length > 0 &&
    html`<span class="folded muted">${folded.map((o) => html`<span key=${o.name}
      class=${'fold-' + o.fold}>${o.told && o.head + ': '}${o.cell(r)}</span>`)}</span>`}`;
  return html`<div class="holds" ref=${ref}><div class="slides"><table class="table">
    <caption class="unseen">${caption}</caption>
    <thead><tr>${picked && html`<th class="pick-cell"><${PickAll} rows=${rows.map(id)} picked=${picked} /></th>`}
      ${columns.map((c) => html`<th key=${c.name} scope="col" class=${kind(c)}>
        ${c.head || html`<span class="unseen">${c.name}</span>`}</th>`)}</tr></thead>
    <tbody>${rows.map((r) => html`<tr key=${id(r)} data-id=${id(r)}>
      ${picked && html`<td class="pick-cell"><label class="pick-row"><input type="checkbox" checked=${picked.has(id(r))}
        aria-label=${'Choose ' + picked.name(r)} onChange=${(e) => picked.toggle([id(r)], e.target.checked)}
        data-test="pick" /></label></td>`}
      ${columns.map((c) => html`<td key=${c.name} data-label=${c.head} class=${kind(c)}>${cell(c, r)}</td>`)}
    </tr>`)}</tbody>
  </table></div></div>`;
}

/** Chooses all rows that are shown, or none. */
function PickAll({ rows, picked }) {
  const ref = useRef(null);
  const count = rows.filter(picked.has).length;
  useLayoutEffect(() => {
    ref.current.indeterminate = count > 0 && count < rows.length;
  });
  return html`<label class="pick-row"><input type="checkbox" ref=${ref} checked=${count === rows.length}
    aria-label="Select all rows on this page" onChange=${(e) => picked.toggle(rows, e.target.checked)}
    data-test="pick-all" /></label>`;
}

/**
 * A list of one connection: table, paging, and what stands there while it is
 * read or when it is empty. With picked its rows can be chosen, bulk is what can be done to them then. With upward
 * it runs from the oldest to the newest.
 */
export function List({ query, pick, caption, columns, empty, address, paged, picked, bulk, upward }) {
  const page = query.data && pick(query.data);
  const summary = query.loading || !page ? ''
    : caption + ': ' + page.nodes.length + ' shown' + (page.pageInfo.hasNextPage ? ', more follow' : '');
  return html`<p class="unseen" role="status">${summary}</p>
    ${query.failure ? html`<${Trouble} failure=${query.failure} reload=${query.reload} />`
      : !page ? html`<${Waiting} rows=${8} />`
      : page.nodes.length === 0 && !page.pageInfo.hasNextPage ? empty
      : html`<div aria-busy=${query.loading ? 'true' : 'false'} class=${query.loading ? 'stale' : ''}>
          <${Table} caption=${caption} columns=${columns} rows=${page.nodes} picked=${picked} />
          ${bulk}
          <${Pager} info=${page.pageInfo} address=${address} paged=${paged} upward=${upward} />
        </div>`}`;
}

/** Lists run one way: on, or back to their beginning. */
function Pager({ info, address, paged, upward }) {
  if (!info.hasNextPage && !paged) {
    return null;
  }
  return html`<nav class="pager" aria-label="Pages">
    ${paged && html`<a class="button" href=${address('')} data-test="newest">
      <${Icon} name="back" size="16" />${upward ? 'Oldest' : 'Newest'}</a>`}
    <span class="grow"></span>
    ${info.hasNextPage && html`<a class="button" href=${address(info.endCursor)} data-test="older">
      ${upward ? 'Newer' : 'Older'}<${Icon} name="next" size="16" /></a>`}
  </nav>`;
}
