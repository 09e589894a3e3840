// The activity of a person's own account, newest first.
import { html } from './lib.js';
import { useFilters, useQuery } from './context.js';
import { Card, Empty, Time } from './ui.js';
import { List } from './list.js';
import { browser } from './sessions.js';
import { to } from './route.js';

const list = `query AccountLog($after: String) { account { log(first: 20, after: $after) {
  nodes { id action address agent detail createdAt } pageInfo { hasNextPage endCursor } } } }`;

const names = {
  'account.made': 'Account created', 'account.taken_over': 'Account claimed by the verified email owner',
  sign_in: 'Signed in', 'sign_in.failed': 'Wrong password', 'factor.used': 'Second factor used',
  'factor.failed': 'Second factor rejected', proof: 'Identity confirmed', 'session.ended': 'Signed out',
  'password.changed': 'Password changed', 'password.reset': 'Password reset',
  'password.reset_asked': 'Password reset requested by email', 'address.verified': 'Address verified',
  'address.changed': 'Address changed', 'factor.added': 'Second factor added',
  'factor.removed': 'Second factor removed', 'recovery_codes.made': 'Recovery codes created',
  'recovery_code.used': 'Recovery code used', 'staff_token.made': 'Staff token created', 'store.joined': 'Store joined',
  'store.left': 'Store left',
};

const columns = [
  { name: 'what', head: 'Action', main: true,
    cell: (e) => html`<span class="strong">${names[e.action] ?? e.action}</span>
    ${e.detail && html`<span class="muted block clip-long">${e.detail}</span>`}` },
  { name: 'address', head: 'Address', cell: (e) => html`<span>${e.address ?? '\u2013'}
    ${e.agent && html`<span class="muted block" title=${e.agent}>${browser(e.agent)}</span>`}</span>` },
  { name: 'when', head: 'When', end: true, cell: (e) => html`<${Time} at=${e.createdAt} />` },
];

export function AccountLog() {
  const f = useFilters();
  const query = useQuery(list, { after: f.log || null });
  return html`<${Card} title="Account activity" flush name="account-log">
    <${List} query=${query} pick=${(d) => d.account.log} caption="Account activity" columns=${columns}
      paged=${Boolean(f.log)} address=${(after) => to('/security', { log: after })}
      empty=${html`<${Empty} icon="audit" title="No activity yet" />`} />
  <//>`;
}
