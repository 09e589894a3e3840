// Lists: a table that fits its width, its rows and its pages.
import { html, useLayoutEffect, useRef } from './lib.js';
import { Icon } from './icons.js';
import { Pending } from './ui.js';

const minTableWidth = 600; // pixels; narrower tables are always cards

/**
 * Shows a table in the widest layout that fits: all columns, some or more of them folded below the
 * first one, or cards. It measures the content, whose length is unknown. A table that is still too
 * wide scrolls with the arrow keys.
 */
function fit(box) {
  const scroller = box.firstElementChild;
  for (const form of box.clientWidth < minTableWidth ? ['cards'] : ['wide', 'folded', 'tight', 'cards']) {
    box.dataset.fit = form;
    if (scroller.scrollWidth <= scroller.clientWidth) {
      scroller.removeAttribute('tabindex');
      return;
    }
  }
  scroller.tabIndex = 0;
}

/** Fits a table again when its width changes. */
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

/** The link of a row. The whole row is clickable. */
export function RowLink({ href, children, ...rest }) {
  return html`<a class="strong row-link" href=${href} ...${rest}><bdi>${children}</bdi></a>`;
}

const columnClass = (c) =>
  [c.end && 'end', c.main && 'main', c.wide && 'wide', c.fold && 'folds-' + c.fold].filter(Boolean).join(' ');

/**
 * A table. Without room for all columns, those with fold move below the main one: fold 1 first,
 * then fold 2. On a narrow screen, rows are cards. A column with fold has no controls; labeled
 * keeps its heading there. With selection, rows can be selected.
 * @param {{caption: string, columns: {name: string, head: string, cell: (row: any) => any, end?: boolean,
 *   wide?: boolean, main?: boolean, fold?: 1|2, labeled?: boolean}[], rows: any[], id?: (row: any) => string,
 *   selection?: {has: (id: string) => boolean, toggle: (ids: string[], on: boolean) => void,
 *     name: (row: any) => string}}} props
 */
export function Table({ caption, columns, rows, id = (r) => r.id, selection }) {
  const ref = useFit();
  const folded = columns.filter((c) => c.fold);
  const cell = (c, r) => html`${c.cell(r)}${c.main && folded.length > 0 &&
    html`<span class="folded muted">${folded.map((o) => html`<span key=${o.name}
      class=${'fold-' + o.fold}>${o.labeled && o.head + ': '}${o.cell(r)}</span>`)}</span>`}`;
  return html`<div class="table-box" ref=${ref}><div class="table-scroll"><table class="table">
    <caption class="visually-hidden">${caption}</caption>
    <thead><tr>${selection && html`<th class="pick-cell"><${SelectAll} rows=${rows.map(id)}
      selection=${selection} /></th>`}
      ${columns.map((c) => html`<th key=${c.name} scope="col" class=${columnClass(c)}>
        ${c.head || html`<span class="visually-hidden">${c.name}</span>`}</th>`)}</tr></thead>
    <tbody>${rows.map((r) => html`<tr key=${id(r)} data-id=${id(r)}>
      ${selection && html`<td class="pick-cell"><label class="pick-row"><input type="checkbox"
        checked=${selection.has(id(r))}
        aria-label=${'Select ' + selection.name(r)} onChange=${(e) => selection.toggle([id(r)], e.target.checked)}
        data-test="pick" /></label></td>`}
      ${columns.map((c) => html`<td key=${c.name} data-label=${c.head} class=${columnClass(c)}>${cell(c, r)}</td>`)}
    </tr>`)}</tbody>
  </table></div></div>`;
}

function SelectAll({ rows, selection }) {
  const ref = useRef(null);
  const count = rows.filter(selection.has).length;
  useLayoutEffect(() => {
    ref.current.indeterminate = count > 0 && count < rows.length;
  });
  return html`<label class="pick-row"><input type="checkbox" ref=${ref} checked=${count === rows.length}
    aria-label="Select all rows on this page" onChange=${(e) => selection.toggle(rows, e.target.checked)}
    data-test="pick-all" /></label>`;
}

/**
 * A list of one connection: table, pages, and what is shown while it loads or if it is empty. With
 * selection, rows can be selected; bulk then holds their actions. upward means oldest first.
 */
export function List({ query, pick, caption, columns, empty, address, paged, selection, bulk, upward }) {
  const page = query.data && pick(query.data);
  const summary = query.loading || !page ? ''
    : caption + ': ' + page.nodes.length + ' shown' + (page.pageInfo.hasNextPage ? ', more follow' : '');
  return html`<p class="visually-hidden" role="status">${summary}</p>
    ${!page ? html`<${Pending} of=${query} rows=${8} />`
      : page.nodes.length === 0 && !page.pageInfo.hasNextPage ? empty
      : html`<div aria-busy=${query.loading ? 'true' : 'false'} class=${query.loading ? 'stale' : ''}>
          <${Table} caption=${caption} columns=${columns} rows=${page.nodes} selection=${selection} />
          ${bulk}
          <${Pager} info=${page.pageInfo} address=${address} paged=${paged} upward=${upward} />
        </div>`}`;
}

/** Links to the next page of a list and back to the first. address returns the address of a cursor. */
export function Pager({ info, address, paged, upward, bare }) {
  if (!info.hasNextPage && !paged) {
    return null;
  }
  return html`<nav class=${bare ? 'pager bare-pager' : 'pager'} aria-label="Pages">
    ${paged && html`<a class="button" href=${address('')} data-test="newest">
      <${Icon} name="back" size="16" />${upward ? 'Oldest' : 'Newest'}</a>`}
    <span class="grow"></span>
    ${info.hasNextPage && html`<a class="button" href=${address(info.endCursor)} data-test="older">
      ${upward ? 'Newer' : 'Older'}<${Icon} name="next" size="16" /></a>`}
  </nav>`;
}
