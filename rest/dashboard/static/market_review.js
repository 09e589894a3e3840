// The review of marketplace submissions.
import { html, useState } from './lib.js';
import { useApp, useQuery, useFilters } from './context.js';
import { Card, Empty, Time, Button, isolate } from './ui.js';
import { List } from './list.js';
import { Area, FormDialog, FieldError, text, useAction, errors } from './form.js';
import { ThemeName } from './market_submission.js';
import { ThemePreview } from './theme_state.js';
import { money } from './money.js';
import { to } from './route.js';

const list = `query Reviews($after: String) { marketplaceReviews(first: 25, after: $after) {
  nodes { id slug name tagline author version priceMinor currency categories previewImageUrl status own createdAt }
  pageInfo { hasNextPage endCursor } } }`;
const review = `mutation Review($id: ID!, $verdict: ReviewVerdict!, $note: String) {
  marketplaceThemeReview(id: $id, verdict: $verdict, note: $note) { submission { id } ${errors} } }`;

/** Submissions to review; not queried for roles that never review. */
export function useReviews(after) {
  const { can } = useApp();
  return useQuery(can('listings') ? list : '', { after: after || null });
}

/** The list; nothing for people who do not review. */
export function Reviews({ query, changed }) {
  const f = useFilters();
  const [dialog, setDialog] = useState(null);
  const closed = query.failure?.code === 'forbidden' || query.failure?.code === 'insufficient_scope';
  if (closed || (!query.data && !query.failure)) {
    return null;
  }
  const columns = [
    { name: 'theme', head: 'Theme', main: true,
      cell: (s) => html`<${ThemeName} of=${s} more=${html`Version ${s.version} by <bdi>${s.author}</bdi>`} />` },
    { name: 'tagline', head: 'Tagline', cell: (s) => html`<span class="verbatim short">${s.tagline}</span>` },
    { name: 'price', head: 'Price',
      cell: (s) => html`<span class="figure">${s.priceMinor === 0 ? 'Free' : money(s.priceMinor, s.currency)}</span>` },
    { name: 'when', head: 'Submitted', cell: (s) => html`<${Time} at=${s.createdAt} how="ago" />` },
    { name: 'actions', head: '', end: true, cell: (s) => html`<span class="row-actions">
      ${s.own ? html`<span class="muted" data-test="own">Yours: another store must review it</span>` : html`<${Button}
        kind="small" label=${'Approve ' + s.name} act=${() => setDialog({ verdict: 'APPROVE', of: s })}
        test="approve">Approve<//>`}
      <${Button} kind="small danger-quiet" label=${'Reject ' + s.name}
        act=${() => setDialog({ verdict: 'REJECT', of: s })} test="reject">Reject<//></span>` },
  ];
  return html`<${Card} title="To review" flush name="reviews">
    <${List} query=${query} pick=${(d) => d.marketplaceReviews} caption="To review" columns=${columns}
      paged=${Boolean(f.reviewed)} address=${(after) => to('/marketplace', { ...f, reviewed: after })}
      empty=${html`<${Empty} icon="check" title="No themes to review">Themes that stores submit appear here.<//>`} />
    ${dialog && html`<${Verdict} ...${dialog} onClose=${() => setDialog(null)} changed=${changed} />`}
  <//>`;
}

function Verdict({ verdict, of: s, onClose, changed }) {
  const yes = verdict === 'APPROVE';
  const action = useAction(review, (v) => {
    const note = text(v, 'note');
    if (!yes && !note) {
      throw new FieldError('note', 'Say what needs to change.');
    }
    return { id: s.id, verdict, note };
  }, isolate(s.name) + (yes ? ' approved.' : ' rejected.'), changed);
  return html`<${FormDialog} title=${(yes ? 'Approve' : 'Reject') + ' \u201c' + s.name + '\u201d?'} name="review"
    submit=${yes ? 'Approve' : 'Reject'} busyText="Working" danger=${!yes} onClose=${onClose} action=${action}>
    <div class="framed"><${ThemePreview} of=${s} /></div>
    <p class="muted">Version ${s.version} by <bdi>${s.author}</bdi>
      ${s.categories.length > 0 && ', in ' + s.categories.join(', ')}</p>
    <p>${yes ? 'The store that submitted it can then publish it to all stores.'
      : 'The store sees your note and can submit the theme again.'}</p>
    <${Area} name="note" label="Note to the store" optional=${yes} rows=${3} maxlength="1000" />
  <//>`;
}
