// The people of the store, and the tokens that their scripts use.
import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters } from '../context.js';
import { Page, Card, Badge, Time, List, Empty, SecretDialog } from '../ui.js';
import { Icon } from '../icons.js';
import { Confirm, Field, FormDialog, Select, useMutation } from '../form.js';
import { roleNames, roleOptions } from '../role.js';
import { Invitations, InvitationLink, Invite } from '../invitation.js';
import { to } from '../route.js';
import { life } from './keys.js';

const people = `query Staff($after: String) { staff(first: 50, after: $after) {
  nodes { id name email role version createdAt } pageInfo { hasNextPage endCursor } } }`;
const tokens = `query StaffTokens($after: String) { staffTokens(first: 25, after: $after) {
  nodes { id userId name hint createdAt expiresAt revokedAt lastUsedAt } pageInfo { hasNextPage endCursor } } }`;
const errors = 'userErrors { code message path }';
const role = `mutation StaffRole($id: ID!, $role: StaffRole!, $expectedVersion: Long!) {
  staffUpdateRole(id: $id, role: $role, expectedVersion: $expectedVersion) { staff { id } ${errors} } }`;
const remove = `mutation StaffRemove($id: ID!) { staffRemove(id: $id) { removedId ${errors} } }`;
const createToken = `mutation TokenCreate($name: String!, $expiresAt: Time) {
  staffTokenCreate(name: $name, expiresAt: $expiresAt) { staffToken { id name } token ${errors} } }`;
const revokeToken = `mutation TokenRevoke($id: ID!) { staffTokenRevoke(id: $id) { staffToken { id } ${errors} } }`;

export function Staff() {
  const { account, can } = useApp();
  const [asked, count] = useState(0);
  const f = useFilters();
  const manage = can('staff');
  const members = useQuery(manage ? people : '', { after: f.after || null });
  const [dialog, open] = useState(null);
  const close = () => open(null);
  // Nobody but an owner touches owners.
  const touchable = (p) => p.role !== 'OWNER' || account.role === 'OWNER';
  const columns = [
    { name: 'person', head: 'Person', main: true, cell: (p) => html`<span class="strong">${p.name}</span>
      ${p.id === account.id && html` <span class="muted">(you)</span>`}
      <span class="muted block clip">${p.email}</span>` },
    { name: 'role', head: 'Role', cell: (p) => roleNames[p.role] ?? p.role },
    { name: 'since', head: 'Since', cell: (p) => html`<${Time} at=${p.createdAt} how="date" />` },
    { name: 'actions', head: '', end: true, cell: (p) => touchable(p) && html`<span class="row-actions">
      <button type="button" class="button small" aria-label=${'Change role of ' + p.name}
        onClick=${() => open({ kind: 'role', id: p.id })} data-test="staff-role">Change role</button>
      <button type="button" class="button small danger-quiet" aria-label=${'Remove ' + p.name}
        onClick=${() => open({ kind: 'remove', id: p.id })} data-test="staff-remove">Remove</button></span>` },
  ];
  const present = dialog && members.data?.staff.nodes.find((p) => p.id === dialog.id);
  const hire = html`<button type="button" class="button primary" onClick=${() => open({ kind: 'invite' })}
    data-test="staff-invite"><${Icon} name="plus" size="16" />Invite a person</button>`;
  return html`<${Page} title="Staff" actions=${manage && hire}>
    ${manage && html`<${Card} title="People" flush name="people">
      <${List} query=${members} pick=${(d) => d.staff} caption="People of the store" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/staff', { after })}
        empty=${html`<${Empty} icon="staff" title="Nobody" />`} />
    <//>`}
    ${manage && html`<${Invitations} key=${asked} />`}
    <${Tokens} people=${members.data?.staff.nodes ?? []} />
    ${dialog?.kind === 'invite' && html`<${Invite} onClose=${close} changed=${() => count(asked + 1)}
      shown=${(link, email) => open({ kind: 'link', link, email })} />`}
    ${dialog?.kind === 'role' && present &&
      html`<${Role} person=${present} onClose=${close} changed=${members.reload} />`}
    ${dialog?.kind === 'remove' && present &&
      html`<${Remove} person=${present} onClose=${close} changed=${members.reload} />`}
    ${dialog?.kind === 'link' && html`<${InvitationLink} ...${dialog} onClose=${close} />`}
  <//>`;
}

function Role({ person: p, onClose, changed }) {
  const { account, notify } = useApp();
  const run = useMutation(role);
  const action = async (v) => {
    await run({ id: p.id, role: v.get('role'), expectedVersion: p.version });
    notify('The role is changed.');
    changed();
  };
  return html`<${FormDialog} title=${'Role of ' + p.name} name="staff-role" submit="Change role"
    onClose=${onClose} onStale=${changed} action=${action}>
    <${Select} name="role" label="Role" value=${p.role} options=${roleOptions(account.role)} />
  <//>`;
}

function Remove({ person: p, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(remove);
  const action = async () => {
    await run({ id: p.id });
    notify(p.name + ' no longer belongs to the store.');
    changed();
  };
  return html`<${Confirm} title=${'Remove ' + p.name + '?'} name="staff-remove" submit="Remove"
    onClose=${onClose} action=${action}>
    <p>${p.name} loses access to this store at once. Their staff tokens for it and the invitations that they made
      end. Accounts in other stores stay.</p>
  <//>`;
}

function Tokens({ people: members }) {
  const { account, can } = useApp();
  const f = useFilters();
  const query = useQuery(can('staff') ? tokens : '', { after: f.tokens || null });
  const [dialog, open] = useState(null);
  const close = () => open(null);
  const names = new Map([[account.id, account.name], ...members.map((p) => [p.id, p.name])]);
  const columns = [
    { name: 'token', head: 'Token', main: true,
      cell: (t) => html`<span class="strong">${t.name}</span><code class="hint-code block">${t.hint}</code>` },
    { name: 'person', head: 'Of',
      cell: (t) => names.get(t.userId) ?? html`<span class="muted">Somebody who left</span>` },
    { name: 'status', head: 'Status', cell: (t) => html`<${Badge} value=${life(t)} />` },
    { name: 'used', head: 'Last used', cell: (t) => (t.lastUsedAt
      ? html`<${Time} at=${t.lastUsedAt} how="ago" />` : html`<span class="muted">Never</span>`) },
    { name: 'ends', head: 'Ends', cell: (t) => (t.revokedAt || t.expiresAt
      ? html`<${Time} at=${t.revokedAt ?? t.expiresAt} how="date" />` : html`<span class="muted">Never</span>`) },
    { name: 'actions', head: '', end: true, cell: (t) => life(t) === 'LIVE' &&
      html`<button type="button" class="button small danger-quiet" aria-label=${'Revoke ' + t.name}
        onClick=${() => open({ kind: 'revoke', token: t })} data-test="token-revoke">Revoke</button>` },
  ];
  const make = html`<button type="button" class="button small" onClick=${() => open({ kind: 'create' })}
    data-test="token-new">New token</button>`;
  return html`<${Card} title="Staff tokens" flush=${can('staff')} name="staff-tokens" actions=${make}>
    ${can('staff') ? html`<${List} query=${query} pick=${(d) => d.staffTokens} caption="Staff tokens"
        columns=${columns} paged=${Boolean(f.tokens)} address=${(after) => to('/staff', { tokens: after })}
        empty=${html`<${Empty} icon="keys" title="No staff tokens">
          A token lets a script of yours do what you may do.<//>`} />`
      : html`<p class="muted">A token lets a script of yours do what you may do.
          Owners and admins see and end all tokens.</p>`}
    ${dialog?.kind === 'create' && html`<${NewToken} onClose=${close} shown=${(value, name) => {
      query.reload();
      open({ kind: 'secret', value, name });
    }} />`}
    ${dialog?.kind === 'revoke' &&
      html`<${RevokeToken} token=${dialog.token} onClose=${close} changed=${query.reload} />`}
    ${dialog?.kind === 'secret' && html`<${SecretDialog} title=${'The token \u201c' + dialog.name + '\u201d'}
      secret=${dialog.value} onClose=${close}><p>Whoever holds it does what you may do in this store.</p><//>`}
  <//>`;
}

const lives = [['30', '30 days'], ['90', '90 days'], ['365', 'A year']];

/** The end of a life of so many days. It is some minutes short, so that a fast clock asks for no more than a year. */
const endOf = (days) => new Date(Date.now() + (Number(days) * 24 * 60 - 10) * 60_000).toISOString();

function NewToken({ onClose, shown }) {
  const run = useMutation(createToken, { once: false });
  const action = async (v) => {
    const { staffToken, token } = await run({ name: v.get('name'), expiresAt: endOf(v.get('expiresAt')) });
    shown(token, staffToken.name);
    return false;
  };
  return html`<${FormDialog} title="New staff token" name="staff-token" submit="Make token" busyText="Making"
    onClose=${onClose} action=${action}>
    <${Field} name="name" label="Name" hint="What uses it." required maxlength="255" />
    <${Select} name="expiresAt" label="Works for" value="90" options=${lives}
      hint="It ends sooner when it is revoked, or when you change your password." />
  <//>`;
}

function RevokeToken({ token: t, onClose, changed }) {
  const { notify } = useApp();
  const run = useMutation(revokeToken);
  const action = async () => {
    await run({ id: t.id });
    notify('The token is revoked.');
    changed();
  };
  return html`<${Confirm} title=${'Revoke \u201c' + t.name + '\u201d?'} name="token-revoke" submit="Revoke"
    onClose=${onClose} action=${action}><p>The token stops working at once, for good.</p><//>`;
}
