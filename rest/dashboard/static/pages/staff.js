// Staff, invitations and staff tokens.
import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters } from '../context.js';
import { Page, Card, Badge, Time, Empty, Button, isolate } from '../ui.js';
import { List } from '../list.js';
import { FormDialog, Select, useAction, errors } from '../form.js';
import { roleNames, roleOptions } from '../role.js';
import { Invitations, InvitationLink, Invite } from '../invitation.js';
import { Removal } from '../staff_removal.js';
import { RevokeToken } from '../tokens.js';
import { to } from '../route.js';
import { credentialStatus } from './keys.js';

const people = `query Staff($after: String) { staff(first: 50, after: $after) {
  nodes { id name email role version createdAt } pageInfo { hasNextPage endCursor } } }`;
const tokens = `query StaffTokens($after: String) { staffTokens(first: 25, after: $after) {
  nodes { id userId name hint createdAt expiresAt revokedAt lastUsedAt } pageInfo { hasNextPage endCursor } } }`;
const role = `mutation StaffRole($id: ID!, $role: StaffRole!, $expectedVersion: Long!) {
  staffUpdateRole(id: $id, role: $role, expectedVersion: $expectedVersion) { staff { id } ${errors} } }`;

export function Staff() {
  const { account } = useApp();
  const [invitationsSent, setInvitationsSent] = useState(0);
  const f = useFilters();
  const members = useQuery(people, { after: f.after || null });
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  // Only owners can change owners.
  const editable = (p) => p.role !== 'OWNER' || account.role === 'OWNER';
  const columns = [
    { name: 'person', head: 'Person', main: true, cell: (p) => html`<bdi class="strong">${p.name}</bdi>
      ${p.id === account.id && html` <span class="muted">(you)</span>`}
      <bdi class="muted block clip">${p.email}</bdi>` },
    { name: 'role', head: 'Role', cell: (p) => roleNames[p.role] ?? p.role },
    { name: 'since', head: 'Joined', cell: (p) => html`<${Time} at=${p.createdAt} how="date" />` },
    { name: 'actions', head: '', end: true, cell: (p) => editable(p) && html`<span class="row-actions">
      <${Button} kind="small" label=${'Change role of ' + p.name} act=${() => setDialog({ kind: 'role', id: p.id })}
        test="staff-role">Change role<//>
      <${Button} kind="small danger-quiet" label=${'Remove ' + p.name}
        act=${() => setDialog({ kind: 'remove', id: p.id })} test="staff-remove">Remove<//></span>` },
  ];
  const selected = dialog && members.data?.staff.nodes.find((p) => p.id === dialog.id);
  const inviteButton = html`<${Button} kind="primary" icon="plus" act=${() => setDialog({ kind: 'invite' })}
    test="staff-invite">Invite staff<//>`;
  return html`<${Page} title="Staff" actions=${inviteButton}>
    <${Card} title="People" flush name="people">
      <${List} query=${members} pick=${(d) => d.staff} caption="People of the store" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/staff', { after })}
        empty=${html`<${Empty} icon="staff" title="No staff" />`} />
    <//>
    <${Invitations} key=${invitationsSent} />
    <${Tokens} people=${members.data?.staff.nodes ?? []} />
    ${dialog?.kind === 'invite' && html`<${Invite} onClose=${close}
      changed=${() => setInvitationsSent(invitationsSent + 1)}
      onLink=${(link, email) => setDialog({ kind: 'link', link, email })} />`}
    ${dialog?.kind === 'role' && selected &&
      html`<${Role} person=${selected} onClose=${close} changed=${members.reload} />`}
    ${dialog?.kind === 'remove' && selected &&
      html`<${Removal} person=${selected} onClose=${close} changed=${members.reload} />`}
    ${dialog?.kind === 'link' && html`<${InvitationLink} ...${dialog} onClose=${close} />`}
  <//>`;
}

function Role({ person: p, onClose, changed }) {
  const { account } = useApp();
  const action = useAction(role, (v) => ({ id: p.id, role: v.get('role'), expectedVersion: p.version }),
    'Role changed.', changed);
  return html`<${FormDialog} title=${'Role of ' + isolate(p.name)} name="staff-role" submit="Change role"
    onClose=${onClose} onStale=${changed} action=${action}>
    <${Select} name="role" label="Role" value=${p.role} options=${roleOptions(account.role)} />
  <//>`;
}

/** All staff tokens of the store. Staff manage their own on the Security page. */
function Tokens({ people: members }) {
  const { account } = useApp();
  const f = useFilters();
  const query = useQuery(tokens, { after: f.tokens || null });
  const [revoking, setRevoking] = useState(null);
  const names = new Map([[account.id, account.name], ...members.map((p) => [p.id, p.name])]);
  const columns = [
    { name: 'token', head: 'Token', main: true,
      cell: (t) => html`<bdi class="strong">${t.name}</bdi><code class="hint-code block">${t.hint}</code>` },
    { name: 'person', head: 'Owner',
      cell: (t) => names.get(t.userId) ?? html`<span class="muted">Former staff</span>` },
    { name: 'status', head: 'Status', cell: (t) => html`<${Badge} value=${credentialStatus(t)} />` },
    { name: 'used', head: 'Last used', cell: (t) => html`<${Time} at=${t.lastUsedAt} how="ago" none="Never" />` },
    { name: 'ends', head: 'Expires',
      cell: (t) => html`<${Time} at=${t.revokedAt ?? t.expiresAt} how="date" none="Never" />` },
    { name: 'actions', head: '', end: true, cell: (t) => credentialStatus(t) === 'LIVE' &&
      html`<${Button} kind="small danger-quiet" label=${'Revoke ' + t.name} act=${() => setRevoking(t)}
        test="token-revoke">Revoke<//>` },
  ];
  return html`<${Card} title="Staff tokens" flush name="staff-tokens">
    <${List} query=${query} pick=${(d) => d.staffTokens} caption="Staff tokens" columns=${columns}
      paged=${Boolean(f.tokens)} address=${(after) => to('/staff', { tokens: after })}
      empty=${html`<${Empty} icon="keys" title="No staff tokens">
        Staff create their own tokens on the page Security.<//>`} />
    ${revoking && html`<${RevokeToken} token=${revoking} onClose=${() => setRevoking(null)} changed=${query.reload} />`}
  <//>`;
}
