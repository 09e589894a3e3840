// Invitations to join the store.
import { html, useState } from './lib.js';
import { useApp, useQuery, useFilters } from './context.js';
import { Badge, Card, Empty, SecretDialog, Time, Button, isolate } from './ui.js';
import { List } from './list.js';
import { Confirm, Field, FormDialog, Select, ConfirmMutation, useMutation, errors } from './form.js';
import { roleNames, roleOptions } from './role.js';
import { to } from './route.js';

const invitations = `query Invitations($after: String) { invitations(first: 25, after: $after) {
  nodes { id email role status inviterName createdAt expiresAt endedAt } pageInfo { hasNextPage endCursor } } }`;
const invite = `mutation StaffInvite($input: StaffInviteInput!) {
  staffInvite(input: $input) { invitation { id email } link ${errors} } }`;
const resend = `mutation InvitationResend($id: ID!) { invitationResend(id: $id) { link ${errors} } }`;
const withdraw = `mutation InvitationWithdraw($id: ID!) {
  invitationWithdraw(id: $id) { invitation { id } ${errors} } }`;

/** The form that invites a person. onLink gets the link if the service sends no email. */
export function Invite({ onClose, changed, onLink }) {
  const { account, notify } = useApp();
  const run = useMutation(invite, { once: false });
  const action = async (v) => {
    const email = (v.get('email') ?? '').trim();
    const { invitation, link } = await run({ input: { email, role: v.get('role') } });
    changed();
    if (link) {
      onLink(link, invitation.email);
      return false; // the dialog with the link replaces this one
    }
    notify('Invitation sent to ' + invitation.email + '.');
    return true;
  };
  return html`<${FormDialog} title="Invite staff" name="staff-invite" submit="Invite" busyText="Inviting"
    onClose=${onClose} action=${action}>
    <${Field} name="email" label="Email" type="email" required maxlength="254" autocomplete="off"
      hint="They join after they open the link, sign in and accept. The link is valid for seven days." />
    <${Select} name="role" label="Role" value="SUPPORT" options=${roleOptions(account.role)} />
  <//>`;
}

/** The link of an invitation, if the service sends no email. */
export function InvitationLink({ link, email, onClose }) {
  return html`<${SecretDialog} title=${'Invitation of ' + isolate(email)} secret=${link} onClose=${onClose}>
    <p>Share this link over a secure channel. Anyone who opens it can accept the invitation.</p><//>`;
}

export function Invitations() {
  const f = useFilters();
  const query = useQuery(invitations, { after: f.invitations || null });
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const columns = [
    { name: 'email', head: 'Invited', main: true, cell: (i) => html`<bdi class="strong clip">${i.email}</bdi>
      <span class="muted block">by ${i.inviterName}</span>` },
    { name: 'role', head: 'Role', cell: (i) => roleNames[i.role] ?? i.role },
    { name: 'status', head: 'Status', cell: (i) => html`<${Badge} value=${i.status} />` },
    { name: 'ends', head: 'Expires', cell: (i) => html`<${Time} at=${i.endedAt ?? i.expiresAt} how="date" />` },
    { name: 'actions', head: '', end: true, cell: (i) => (i.status === 'PENDING' || !i.endedAt) &&
      html`<span class="row-actions"><${Button} kind="small" label=${'Resend the invitation to ' + i.email}
        act=${() => setDialog({ kind: 'resend', invitation: i })} test="invitation-resend">Resend<//>
      <${Button} kind="small danger-quiet" label=${'Withdraw the invitation of ' + i.email}
        act=${() => setDialog({ kind: 'withdraw', invitation: i })} test="invitation-withdraw">Withdraw<//>
      </span>` },
  ];
  return html`<${Card} title="Invitations" flush name="invitations">
    <${List} query=${query} pick=${(d) => d.invitations} caption="Invitations" columns=${columns}
      paged=${Boolean(f.invitations)} address=${(after) => to('/staff', { invitations: after })}
      empty=${html`<${Empty} icon="staff" title="No invitations" />`} />
    ${dialog?.kind === 'resend' && html`<${Resend} invitation=${dialog.invitation} onClose=${close}
      changed=${query.reload} onLink=${(link) => setDialog({ kind: 'link', link, email: dialog.invitation.email })} />`}
    ${dialog?.kind === 'withdraw' &&
      html`<${Withdraw} invitation=${dialog.invitation} onClose=${close} changed=${query.reload} />`}
    ${dialog?.kind === 'link' && html`<${InvitationLink} ...${dialog} onClose=${close} />`}
  <//>`;
}

function Resend({ invitation: i, onClose, changed, onLink }) {
  const { notify } = useApp();
  const run = useMutation(resend, { once: false });
  const action = async () => {
    const { link } = await run({ id: i.id });
    changed();
    if (link) {
      onLink(link);
      return false;
    }
    notify('Invitation sent to ' + i.email + '.');
    return true;
  };
  return html`<${Confirm} title=${'Resend the invitation to ' + i.email + '?'} name="invitation-resend" submit="Resend"
    danger=${false} onClose=${onClose} action=${action}>
    <p>They get a new link, valid for seven days. The previous link stops working.</p><//>`;
}

function Withdraw({ invitation: i, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Withdraw the invitation of ' + i.email + '?'} name="invitation-withdraw"
    submit="Withdraw" document=${withdraw} variables=${{ id: i.id }} done="Invitation withdrawn." changed=${changed}
    onClose=${onClose}><p>The link stops working.</p><//>`;
}
