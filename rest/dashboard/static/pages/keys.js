// API keys.
import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import { Page, Badge, Time, Empty, SecretDialog, Button, isolate } from '../ui.js';
import { List } from '../list.js';
import {
  Area, Check, Field, FormDialog, FieldError, ConfirmMutation, useAction, useMutation, errors,
} from '../form.js';
import { ScopeChoice, useScopes } from '../scopes.js';
import { atLocalTime, dayOf, isDay, nextDay, startOfDay } from '../dates.js';
import { Filters, FilterInput } from '../filter.js';
import { to } from '../route.js';

const list = `query Keys($after: String) { apiKeys(first: 100, after: $after) {
  nodes { id name hint scopes lineageId superseded createdAt expiresAt revokedAt lastUsedAt allowedNetworks
    unlimitedRefunds }
  pageInfo { hasNextPage endCursor } } }`;
const create = `mutation KeyCreate($input: APIKeyCreateInput!) {
  apiKeyCreate(input: $input) { apiKey { id name } secret ${errors} } }`;
const rotate = `mutation KeyRotate($id: ID!, $ends: Time) {
  apiKeyRotate(id: $id, oldKeyEndsAt: $ends) { apiKey { id name } secret ${errors} } }`;
const allow = `mutation KeyAllow($id: ID!, $allowedNetworks: [String!]!) {
  apiKeyAllow(id: $id, allowedNetworks: $allowedNetworks) { apiKey { id } ${errors} } }`;
const revoke = `mutation KeyRevoke($id: ID!) { apiKeyRevoke(id: $id) { apiKey { id } ${errors} } }`;

/** The end of the day in a field; null if it is empty. */
function expiry(values, field, zone) {
  const day = values.get(field);
  if (!day) {
    return null;
  }
  if (!isDay(day) || day < dayOf(Date.now(), zone)) {
    throw new FieldError(field, 'Choose today or a later date.');
  }
  return startOfDay(nextDay(day), zone);
}

/** Networks separated by spaces, commas or lines. */
const networksIn = (values) => values.get('allowedNetworks').split(/[\s,;]+/).filter(Boolean);

/** Whether the name, hint or scopes of a key contain all words of a search. */
function matches(search, k) {
  const text = [k.name, k.hint, ...k.scopes].join(' ').toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export function credentialStatus(k) {
  if (k.revokedAt) {
    return 'REVOKED';
  }
  if (k.expiresAt && Date.parse(k.expiresAt) <= Date.now()) {
    return 'EXPIRED';
  }
  return k.superseded ? 'SUPERSEDED' : 'LIVE';
}

const dialogs = { create: Create, rotate: Rotate, allow: Allow, revoke: Revoke };

export function Keys() {
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  const [dialog, setDialog] = useState(null);
  const columns = [
    { name: 'key', head: 'Key', main: true,
      cell: (k) => html`<bdi class="strong">${k.name}</bdi><code class="hint-code block">${k.hint}</code>
        ${k.allowedNetworks.length > 0 && html`<span class="muted block" data-test="key-networks">From
          ${k.allowedNetworks.join(', ')}</span>`}
        ${k.unlimitedRefunds && html`<span class="muted block">Unlimited refunds</span>`}` },
    { name: 'status', head: 'Status', cell: (k) => html`<${Badge} value=${credentialStatus(k)}
      text=${credentialStatus(k) === 'SUPERSEDED' ? 'Live, rotated' : undefined} />` },
    { name: 'scopes', head: 'Scopes', wide: true, cell: (k) => html`<span class="tags">
      ${k.scopes.map((s) => html`<code class="tag" key=${s}>${s}</code>`)}</span>` },
    { name: 'used', head: 'Last used', fold: 1, labeled: true,
      cell: (k) => html`<${Time} at=${k.lastUsedAt} how="ago" none="Never" />` },
    { name: 'ends', head: 'Expires', cell: (k) => (k.revokedAt ? html`<${Time} at=${k.revokedAt} how="date" />`
      : html`<${Time} at=${k.expiresAt} none="Never" />`) },
    { name: 'actions', head: '', end: true,
      cell: (k) => html`<span class="row-actions">
        <a class="button small" href=${to('/requests', { key: k.id })} aria-label=${'Requests of ' + k.name}
          data-test="key-requests">Requests</a>
        ${['LIVE', 'SUPERSEDED'].includes(credentialStatus(k)) && html`<${KeyButtons} of=${k}
          open=${setDialog} />`}</span>` },
  ];
  const close = () => setDialog(null);
  const Opened = dialogs[dialog?.kind];
  const createButton = html`<${Button} kind="primary" icon="plus" act=${() => setDialog({ kind: 'create' })}
    test="key-new">New key<//>`;
  const secret = (value, name, rotated, ends) => {
    query.reload();
    setDialog({ kind: 'secret', value, name, rotated, ends });
  };
  return html`<${Page} title="API keys" actions=${createButton}
    lead="API keys let your programs use the REST API of this store.">
    <section class="card flush" aria-label="API keys" data-test="keys">
      <${Filters} clear=${f.search && to('/keys')}>
        <${FilterInput} name="search" label="Search" type="search" value=${f.search}
          set=${(change) => go(to('/keys', { ...f, ...change }))} />
      <//>
      <${List} query=${query} pick=${(d) => ({ ...d.apiKeys,
        nodes: d.apiKeys.nodes.filter((k) => matches(f.search ?? '', k)) })} caption="API keys" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/keys', { ...f, after })}
        empty=${html`<${Empty} icon="keys" title=${f.search ? 'No keys match the search.' : 'No keys yet'}>
          ${f.search ? html`<a class="button" href=${to('/keys')}>Show all keys</a>`
            : 'Create one key per program, with only the scopes that it needs.'}<//>`} />
    </section>
    ${Opened && html`<${Opened} of=${dialog.key} onClose=${close} onSecret=${secret} changed=${query.reload} />`}
    ${dialog?.kind === 'secret' && html`<${SecretDialog} title=${'The key \u201c' + isolate(dialog.name) + '\u201d'}
      secret=${dialog.value} onClose=${close}>
      ${dialog.rotated
        ? html`<p>Both keys work now. Give the new one to your program, check that it is used,
            ${dialog.ends ? 'before the old one expires.' : 'then revoke the old one.'}</p>`
        : html`<p>Store it where your program can read it, never in source code.</p>`}<//>`}
  <//>`;
}

function KeyButtons({ of: k, open }) {
  return html`${credentialStatus(k) === 'LIVE' && html`<${Button} kind="small" label=${'Rotate ' + k.name}
    act=${() => open({ kind: 'rotate', key: k })} test="key-rotate">Rotate<//>`}
    <${Button} kind="small" label=${'Addresses of ' + k.name + ' ' + k.hint}
      act=${() => open({ kind: 'allow', key: k })} test="key-allow">Addresses<//>
    <${Button} kind="small danger-quiet" label=${'Revoke ' + k.name + ' ' + k.hint}
      act=${() => open({ kind: 'revoke', key: k })} test="key-revoke">Revoke<//>`;
}

function Create({ onClose, onSecret }) {
  const { zone, can } = useApp();
  const run = useMutation(create, { once: false });
  const catalog = useScopes();
  const action = async (v) => {
    const scopes = v.getAll('scopes');
    if (scopes.length === 0) {
      throw new FieldError('scopes', 'Choose at least one scope.');
    }
    const expiresAt = expiry(v, 'expiresAt', zone);
    const { apiKey, secret } = await run({ input: {
      name: v.get('name'), scopes, expiresAt, allowedNetworks: networksIn(v),
      unlimitedRefunds: v.has('unlimitedRefunds'),
    } });
    onSecret(secret, apiKey.name, false);
    return false; // the dialog with the secret replaces this one
  };
  return html`<${FormDialog} title="New API key" name="key" submit="Create key" busyText="Creating"
    onClose=${onClose} action=${action}>
    <${Field} name="name" label="Name" hint="For example, Warehouse sync." required maxlength="255" />
    <${ScopeChoice} catalog=${catalog} />
    <${Field} name="expiresAt" label="Expires" type="date" optional
      hint="At the end of this day in the store's time zone. Leave empty for no expiry date." />
    <${Networks} />
    ${can('owners') && html`<${Check} name="unlimitedRefunds" label="Unlimited refunds"
      hint="Also above the sum from which staff confirm their identity. For keys with refunds.write." />`}
  <//>`;
}

const Networks = ({ value = '' }) => html`<${Area} name="allowedNetworks" label="Allowed addresses" optional rows=${3}
  value=${value} hint="For example, 192.0.2.0/24. Up to 20 addresses or networks. Leave empty to allow all." />`;

function Allow({ of: k, onClose, changed }) {
  const action = useAction(allow, (v) => ({ id: k.id, allowedNetworks: networksIn(v) }), 'Addresses saved.', changed);
  return html`<${FormDialog} title=${'Addresses of \u201c' + k.name + '\u201d'} name="key-allow" submit="Save"
    onClose=${onClose} action=${action}>
    <p>Requests from other addresses are rejected as if the key were unknown.</p>
    <${Networks} value=${k.allowedNetworks.join('\n')} />
  <//>`;
}

function Rotate({ of: k, onClose, onSecret }) {
  const { zone } = useApp();
  const run = useMutation(rotate, { once: false });
  const action = async (v) => {
    const text = v.get('oldKeyEndsAt');
    const ends = text ? atLocalTime(text, zone) : null;
    const { apiKey, secret } = await run({ id: k.id, ends });
    onSecret(secret, apiKey.name, true, ends);
    return false;
  };
  return html`<${FormDialog} title=${'Rotate \u201c' + isolate(k.name) + '\u201d?'} name="key-rotate" submit="Rotate"
    busyText="Rotating" onClose=${onClose} action=${action}>
    <p>This creates a second key with the same scopes and addresses. Both work until you revoke the first one
      or it expires, so there is no downtime.</p>
    <${Field} name="oldKeyEndsAt" label="Old key expires" type="datetime-local" optional
      hint="In the store's time zone. Leave empty to revoke it yourself." />
  <//>`;
}

function Revoke({ of: k, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Revoke \u201c' + isolate(k.name) + '\u201d?'} name="key-revoke"
    submit="Revoke" document=${revoke} variables=${{ id: k.id }} done="Key revoked." changed=${changed}
    onClose=${onClose}>
    <p>The key <code>${k.hint}</code> stops working immediately. This cannot be undone. Other keys with
      the same name keep working.</p>
    ${k.lastUsedAt && html`<p>Last used <${Time} at=${k.lastUsedAt} how="ago" />.</p>`}
  <//>`;
}
