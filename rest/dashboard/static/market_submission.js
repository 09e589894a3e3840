// Submissions of the store to the marketplace.
import { html, useState } from './lib.js';
import { useAll, useApp, useQuery, useFilters } from './context.js';
import { Alert, Badge, Card, Empty, Time, Pending, Button, isolate } from './ui.js';
import { List } from './list.js';
import {
  ActionButton, Confirm, Field, FormDialog, Select, FieldError, ConfirmMutation, lines, text, useAction, useMutation,
  errors,
} from './form.js';
import { money } from './money.js';
import { ThemePreview } from './theme_state.js';
import { to } from './route.js';

const list = `query Submissions($after: String) { marketplaceSubmissions(first: 25, after: $after) {
  nodes { id slug name tagline author version priceMinor currency categories previewImageUrl installsCount
    status reviewNote publishedAt createdAt }
  pageInfo { hasNextPage endCursor } } }`;
const submit = `mutation Submit($input: MarketplaceThemeSubmitInput!) {
  marketplaceThemeSubmit(input: $input) { submission { id } ${errors} } }`;
const publish = `mutation Publish($id: ID!) { marketplaceThemePublish(id: $id) { submission { id } ${errors} } }`;
const unlist = `mutation Unlist($id: ID!) { marketplaceThemeUnlist(id: $id) { submission { id } ${errors} } }`;

export const ThemeName = ({ of: s, more }) => html`<span class="with-thumb">
  <span class="mini"><${ThemePreview} of=${s} /></span>
  <span class="grow"><bdi class="strong">${s.name}</bdi><span class="muted block">${more}</span></span></span>`;

/** Without open there are no actions. */
function columns(open, changed) {
  return [
    { name: 'theme', head: 'Theme', main: true, cell: (s) => html`<${ThemeName} of=${s}
      more=${html`Version ${s.version}, ${s.priceMinor === 0 ? 'free' : money(s.priceMinor, s.currency)}`} />` },
    { name: 'status', head: 'Status', cell: (s) => html`<span class="standing">
      <${Badge} value=${s.status} text=${s.status === 'SUBMITTED' ? 'In review' : undefined} />
      ${s.reviewNote && html`<span class="block verbatim short muted" data-test="review-note">
        ${s.reviewNote}</span>`}</span>` },
    { name: 'installs', head: 'Installations',
      cell: (s) => html`<span class="figure">${s.installsCount.toLocaleString()}</span>` },
    { name: 'when', head: 'Submitted', cell: (s) => html`<${Time} at=${s.createdAt} how="date" />` },
    open && { name: 'actions', head: '', end: true,
      cell: (s) => html`<${NextAction} of=${s} open=${open} changed=${changed} />` },
  ].filter(Boolean);
}

export const useSubmissions = (after) => useQuery(list, { after: after || null });

/** The list. changed reloads everything that an action may change. */
export function Submissions({ query, changed }) {
  const { can } = useApp();
  const f = useFilters();
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const add = can('listings') && html`<${Button} kind="small" icon="plus" act=${() => setDialog({ kind: 'submit' })}
    test="submit-theme">Submit a theme<//>`;
  return html`<${Card} title="Your submissions" flush name="submissions" actions=${add}>
    <${List} query=${query} pick=${(d) => d.marketplaceSubmissions} caption="Your submissions"
      columns=${columns(can('listings') && setDialog, changed)} paged=${Boolean(f.submitted)}
      address=${(after) => to('/marketplace', { ...f, submitted: after })}
      empty=${html`<${Empty} icon="send" title="No submissions yet">
        Offer one of your themes to all stores. Each submission is reviewed first.
        ${can('listings') ? '' : ' Only owners and admins can submit themes.'}<//>`} />
    ${dialog?.kind === 'submit' && html`<${Submit} onClose=${close} changed=${changed} />`}
    ${dialog?.kind === 'unlist' && html`<${Unlist} of=${dialog.of} onClose=${close} changed=${changed} />`}
  <//>`;
}

function NextAction({ of: s, open, changed }) {
  const run = useMutation(publish);
  if (s.status === 'PUBLISHED') {
    return html`<${Button} kind="small danger-quiet" label=${'Unlist ' + s.name}
      act=${() => open({ kind: 'unlist', of: s })} test="unlist">Unlist<//>`;
  }
  const offer = async () => {
    await run({ id: s.id });
    changed();
  };
  return (s.status === 'APPROVED' || s.status === 'UNLISTED') && html`<${ActionButton} kind="small primary"
    run=${offer} done=${s.name + ' published.'} aria-label=${'Publish ' + s.name} data-test="publish">
    ${s.status === 'UNLISTED' ? 'Publish again' : 'Publish'}<//>`;
}

function Unlist({ of: s, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Unlist \u201c' + isolate(s.name) + '\u201d?'} name="unlist" submit="Unlist"
    document=${unlist} variables=${{ id: s.id }} done=${isolate(s.name) + ' unlisted.'} changed=${changed}
    onClose=${onClose}>
    <p>The theme no longer appears in the marketplace. Stores that installed it keep it,
      and you can publish it again.</p><//>`;
}

function Submit({ onClose, changed }) {
  const query = useAll('themes', 'id name version status source');
  const own = query.nodes
    ?.filter((t) => (t.status === 'ACTIVE' || t.status === 'INACTIVE') && t.source !== 'MARKETPLACE') ?? [];
  const action = useAction(submit, (v) => {
    if (!v.get('themeId')) {
      throw new FieldError('themeId', 'Choose a theme.');
    }
    const categories = lines(v, 'categories', /[\s,]+/).map((c) => c.toLowerCase());
    return { input: { themeId: v.get('themeId'), name: text(v, 'name'), tagline: text(v, 'tagline'), categories } };
  }, 'Theme submitted. The result of the review will appear here.', changed);
  if (query.nodes && own.length === 0) {
    return html`<${NothingToSubmit} onClose=${onClose} />`;
  }
  return html`<${FormDialog} title="Submit a theme" name="submission" submit="Submit for review"
    busyText="Submitting" onClose=${onClose} action=${action}>
    <p>The current version is submitted. Later changes need another submission.</p>
    ${!query.nodes ? html`<${Pending} of=${query} rows=${1} />`
      : html`<${Select} name="themeId" label="Theme" options=${[['', 'Choose one'],
        ...own.map((t) => [t.id, t.name + (t.version ? ' (' + t.version + ')' : '')])]} />`}
    <${Field} name="name" label="Name in the marketplace" optional maxlength="255"
      hint="Leave empty to use the theme\u2019s name." />
    <${Field} name="tagline" label="Tagline" optional maxlength="255"
      hint="One sentence about the kind of store it suits." />
    <${Field} name="categories" label="Categories" optional spellcheck=${false} autocapitalize="off"
      hint="For example, fashion minimal dark. Up to 10 words of a-z, 0-9 and -." />
  <//>`;
}

function NothingToSubmit({ onClose }) {
  return html`<${Confirm} title="Submit a theme" name="submission" submit="Close" danger=${false}
    onClose=${onClose} action=${async () => {}}>
    <${Alert} tone="info">You can only submit themes that you imported or duplicated, and this store has
      none. <a href=${to('/themes')}>Import one</a> first.<//><//>`;
}
