// A person's own staff tokens for the current store.
import { html, useState } from './lib.js';
import { useQuery } from './context.js';
import { Badge, Card, Empty, SecretDialog, Time, Pending, Button, isolate } from './ui.js';
import { Table } from './list.js';
import { Check, Field, FormDialog, Select, ConfirmMutation, useMutation, errors } from './form.js';
import { credentialStatus } from './pages/keys.js';

const list = `query OwnTokens { account { staffTokens {
  id name hint sensitive createdAt expiresAt revokedAt lastUsedAt } } }`;
const create = `mutation TokenCreate($name: String!, $expiresAt: Time, $sensitive: Boolean!) {
  staffTokenCreate(name: $name, expiresAt: $expiresAt, sensitive: $sensitive) {
    staffToken { id name } token ${errors} } }`;
const revokeToken = `mutation TokenRevoke($id: ID!) { staffTokenRevoke(id: $id) { staffToken { id } ${errors} } }`;

/** changed is called after a token was created. */
export function Tokens({ changed }) {
  const query = useQuery(list);
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const columns = [
    { name: 'token', head: 'Token', main: true,
      cell: (t) => html`<bdi class="strong">${t.name}</bdi><code class="hint-code block">${t.hint}</code>
        ${t.sensitive && html`<span class="muted block">Sensitive actions</span>`}` },
    { name: 'status', head: 'Status', cell: (t) => html`<${Badge} value=${credentialStatus(t)} />` },
    { name: 'used', head: 'Last used', cell: (t) => html`<${Time} at=${t.lastUsedAt} how="ago" none="Never" />` },
    { name: 'ends', head: 'Expires', cell: (t) => html`<${Time} at=${t.expiresAt} how="date" none="Never" />` },
    { name: 'actions', head: '', end: true, cell: (t) => html`<${Button} kind="small danger-quiet"
      label=${'Revoke ' + t.name} act=${() => setDialog({ kind: 'revoke', token: t })}
      test="token-revoke">Revoke<//>` },
  ];
  const createButton = html`<${Button} kind="small" act=${() => setDialog({ kind: 'create' })}
    test="token-new">New token<//>`;
  const tokens = query.data?.account.staffTokens;
  return html`<${Card} title="Your staff tokens" flush name="tokens" actions=${createButton}>
    ${!tokens ? html`<${Pending} of=${query} rows=${2} />`
      : tokens.length === 0 ? html`<${Empty} icon="keys" title="No staff tokens">
          A token lets your script do everything that you can do in this store.<//>`
      : html`<${Table} caption="Your staff tokens" columns=${columns} rows=${tokens} />`}
    ${dialog?.kind === 'create' && html`<${NewToken} onClose=${close} onSecret=${(value, name) => {
      query.reload();
      changed();
      setDialog({ kind: 'secret', value, name });
    }} />`}
    ${dialog?.kind === 'revoke' &&
      html`<${RevokeToken} token=${dialog.token} onClose=${close} changed=${query.reload} />`}
    ${dialog?.kind === 'secret' && html`<${SecretDialog} title=${'The token \u201c' + isolate(dialog.name) + '\u201d'}
      secret=${dialog.value} onClose=${close}><p>Anyone who has it can act as you in this store.</p><//>`}
  <//>`;
}

const lifetimes = [['30', '30 days'], ['90', '90 days'], ['365', 'A year']];

/** The expiry after so many days, minus ten minutes, so that a fast clock does not exceed the maximum of a year. */
const expiryOf = (days) => new Date(Date.now() + (Number(days) * 24 * 60 - 10) * 60_000).toISOString();

function NewToken({ onClose, onSecret }) {
  const run = useMutation(create, { once: false });
  const action = async (v) => {
    const { staffToken, token } = await run({ name: v.get('name'), expiresAt: expiryOf(v.get('expiresAt')),
      sensitive: v.has('sensitive') });
    onSecret(token, staffToken.name);
    return false;
  };
  return html`<${FormDialog} title="New staff token" name="staff-token" submit="Create token" busyText="Creating"
    onClose=${onClose} action=${action}>
    <${Field} name="name" label="Name" hint="For example, Nightly report." required maxlength="255" />
    <${Select} name="expiresAt" label="Expires after" value="90" options=${lifetimes}
      hint="It expires earlier when you revoke it or change your password." />
    <${Check} name="sensitive" label="Allow sensitive actions" hint="The token can also create keys, apps and tokens,
      invite people, and change where payments and webhooks go. Such actions otherwise need you in a browser." />
  <//>`;
}

export function RevokeToken({ token: t, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Revoke \u201c' + isolate(t.name) + '\u201d?'} name="token-revoke"
    submit="Revoke" document=${revokeToken} variables=${{ id: t.id }} done="Token revoked." changed=${changed}
    onClose=${onClose}><p>The token stops working immediately. This cannot be undone.</p><//>`;
}
