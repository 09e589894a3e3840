// Apps with access to the store, and apps that the store registered.
import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters } from '../context.js';
import {
  Page, Card, Badge, Time, Empty, ExternalLink, Copyable, Alert, Facts, Pending, Button, isolate,
} from '../ui.js';
import { List, Pager } from '../list.js';
import {
  Area, Field, FormDialog, FieldError, ConfirmMutation, lines, text, transition, useMutation, errors,
} from '../form.js';
import { ScopeChoice, ScopeSentences, useScopes } from '../scopes.js';
import { to } from '../route.js';

const installed = `query InstalledApps($after: String) { installedApps(first: 20, after: $after) {
  nodes { app { id clientId name developer website disabled } scopes firstConsentedAt lastUsedAt
    grants { id user { name } scopes consentedAt redeemedAt expiresAt lastUsedAt } }
  pageInfo { hasNextPage endCursor } } }`;
const own = `query Apps($after: String) { apps(first: 25, after: $after) {
  nodes { id clientId name developer website redirectUris scopes legacy disabledAt version createdAt }
  pageInfo { hasNextPage endCursor } } }`;
const revokeGrant = `mutation GrantRevoke($id: ID!) { grantRevoke(id: $id) { grant { id } ${errors} } }`;
const revokeApp = `mutation AppRevoke($id: ID!) { installedAppRevoke(appId: $id) { revokedIds ${errors} } }`;
const create = `mutation AppCreate($input: AppCreateInput!) {
  appCreate(input: $input) { app { id clientId name } ${errors} } }`;
const update = `mutation AppUpdate($id: ID!, $expectedVersion: Long!, $input: AppUpdateInput!) {
  appUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { app { id } ${errors} } }`;

export function Apps() {
  const f = useFilters();
  const catalog = useScopes();
  const access = useQuery(installed, { after: f.access || null });
  const apps = useQuery(own, { after: f.after || null });
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const changed = () => {
    access.reload();
    apps.reload();
  };
  const createButton = html`<${Button} kind="primary" icon="plus" act=${() => setDialog({ kind: 'create' })}
    test="app-new">Register an app<//>`;
  const columns = [
    { name: 'app', head: 'App', main: true,
      cell: (a) => html`<bdi class="strong">${a.name}</bdi><bdi class="muted block">${a.developer}</bdi>` },
    { name: 'client', head: 'Client ID', cell: (a) => html`<${Copyable} text=${a.clientId} test="client-id" />` },
    { name: 'status', head: 'Status', cell: (a) => html`<${Badge} value=${a.disabledAt ? 'DISABLED' : 'ACTIVE'} />` },
    { name: 'made', head: 'Registered', cell: (a) => html`<${Time} at=${a.createdAt} how="date" />` },
    { name: 'actions', head: '', end: true, cell: (a) => html`<span class="row-actions">
      <a class="button small" href=${to('/requests', { app: a.id })} aria-label=${'Requests of ' + a.name}
        data-test="app-requests">Requests</a>
      <${Button} kind="small" label=${'Edit ' + a.name} act=${() => setDialog({ kind: 'edit', id: a.id })}
        test="app-edit">Edit<//>
      <button type="button" class=${'button small ' + (a.disabledAt ? '' : 'danger-quiet')}
        aria-label=${(a.disabledAt ? 'Enable ' : 'Disable ') + a.name}
        onClick=${() => setDialog({ kind: 'move', id: a.id })} data-test=${a.disabledAt ? 'app-enable' : 'app-disable'}>
        ${a.disabledAt ? 'Enable' : 'Disable'}</button></span>` },
  ];
  const selected = dialog && apps.data?.apps.nodes.find((a) => a.id === dialog.id);
  return html`<${Page} title="Apps" actions=${createButton}>
    <${Card} title="Apps with access" name="installed-apps">
      <p class="muted lead-in">Access that staff of this store granted to apps.</p>
      <${Installed} query=${access} scopes=${catalog.scopes} open=${setDialog} after=${f.access} />
    <//>
    <${Card} title="Your apps" flush name="own-apps">
      <${List} query=${apps} pick=${(d) => d.apps} caption="Your apps" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to('/apps', { after })}
        empty=${html`<${Empty} icon="apps" title="No apps registered">
          Register an app to request access from merchants with OAuth.<//>`} />
    <//>
    ${dialog?.kind === 'create' && html`<${AppForm} catalog=${catalog} onClose=${close} changed=${changed} />`}
    ${dialog?.kind === 'edit' && selected &&
      html`<${AppForm} app=${selected} catalog=${catalog} onClose=${close} changed=${changed} />`}
    ${dialog?.kind === 'move' && selected && html`<${ToggleApp} app=${selected} onClose=${close} changed=${changed} />`}
    ${dialog?.kind === 'revoke-grant' && html`<${ConfirmMutation} document=${revokeGrant}
      variables=${{ id: dialog.grant.id }} title=${'Revoke this access of ' + isolate(dialog.app.name) + '?'}
      name="grant-revoke" submit="Revoke access" done="Access revoked." onClose=${close} changed=${changed}>
      <p>The app loses the access that <bdi>${dialog.grant.user.name}</bdi> granted, and its tokens stop
        working.</p><//>`}
    ${dialog?.kind === 'revoke-app' && html`<${ConfirmMutation} document=${revokeApp}
      variables=${{ id: dialog.app.id }} title=${'Revoke all access of ' + isolate(dialog.app.name) + '?'}
      name="installed-app-revoke" submit="Revoke access" done="Access revoked." onClose=${close} changed=${changed}>
      <p>All access that staff of this store granted to the app ends immediately. The app can ask again.</p><//>`}
  <//>`;
}

function Installed({ query, scopes, open, after }) {
  if (!query.data) {
    return html`<${Pending} of=${query} rows=${3} />`;
  }
  const { nodes, pageInfo } = query.data.installedApps;
  if (nodes.length === 0) {
    return html`<${Empty} icon="apps" title="No app has access">
      Apps appear here when staff grant them access.<//>`;
  }
  return html`<ul class="installed">${nodes.map((i) => html`<li key=${i.app.id} data-id=${i.app.id}>
      <div class="card-top"><h3><bdi>${i.app.name}</bdi>
        ${i.app.disabled && html` <${Badge} value="DISABLED" text="Disabled by its developer" />`}</h3>
        <span class="row-actions"><a class="button small" href=${to('/requests', { app: i.app.id })}
          aria-label=${'Requests of ' + i.app.name}>Requests</a>
        <${Button} kind="small danger-quiet" act=${() => open({ kind: 'revoke-app', app: i.app })}
          test="installed-app-revoke" label=${'Revoke all access of ' + i.app.name}>Revoke all access<//></span></div>
      <p class="muted">By ${i.app.developer}${i.app.website && html`, <${ExternalLink} href=${i.app.website} />`}</p>
      <${ScopeSentences} names=${i.scopes} scopes=${scopes} />
      <${Facts} rows=${[
        ['First consent', html`<${Time} at=${i.firstConsentedAt} how="date" />`],
        ['Last used', i.lastUsedAt ? html`<${Time} at=${i.lastUsedAt} how="ago" />` : 'Never'],
      ]} />
      <ul class="grants">${i.grants.map((g) => html`<li key=${g.id} data-id=${g.id}>
        <div class="grow"><p><bdi>${g.user.name}</bdi> consented on <${Time} at=${g.consentedAt} /></p>
          <p class="muted">${g.scopes.join(', ')}. ${!g.redeemedAt && 'Not used yet. '}
            ${g.lastUsedAt && html`Last used <${Time} at=${g.lastUsedAt} how="ago" />. `}Expires <${Time}
              at=${g.expiresAt} how="date" /> at the latest.</p></div>
        <${Button} kind="small danger-quiet" act=${() => open({ kind: 'revoke-grant', grant: g, app: i.app })}
          test="grant-revoke" label=${'Revoke the access that ' + g.user.name + ' granted to ' + i.app.name}>Revoke<//>
      </li>`)}</ul>
    </li>`)}</ul>
    <${Pager} info=${pageInfo} paged=${Boolean(after)} address=${(access) => to('/apps', { access })} />`;
}

function AppForm({ app: a, catalog, onClose, changed }) {
  const { notify, store } = useApp();
  const run = useMutation(a ? update : create);
  const action = async (v) => {
    const input = {
      name: v.get('name'), website: text(v, 'website'), redirectUris: lines(v, 'redirectUris'),
      scopes: v.getAll('scopes').sort(),
    };
    const developer = text(v, 'developer');
    if (developer) {
      input.developer = developer;
    }
    if (input.scopes.length === 0) {
      throw new FieldError('scopes', 'Choose at least one scope.');
    }
    if (a) { // send only changes: an unchanged scope may be above what this person can give
      for (const name of Object.keys(input)) {
        if (JSON.stringify(input[name]) === JSON.stringify(a[name])) {
          delete input[name];
        }
      }
    }
    await run(a ? { id: a.id, expectedVersion: a.version, input } : { input });
    notify(a ? 'App saved.' : 'App registered.');
    changed();
  };
  return html`<${FormDialog} title=${a ? 'Edit ' + a.name : 'Register an app'} name="app"
    submit=${a ? 'Save' : 'Register'} onClose=${onClose} onStale=${changed} action=${action}>
    ${a && html`<p>Client ID <code>${a.clientId}</code></p>`}
    <${Field} name="name" label="Name" value=${a?.name} hint="Merchants see it on the consent page."
      required maxlength="255" />
    <${Field} name="developer" label="Developer" optional=${!a} value=${a?.developer}
      hint=${a ? '' : 'Leave empty to use ' + store.name + '.'} maxlength="255" />
    <${Field} name="website" label="Website" type="url" optional value=${a?.website}
      hint="Starts with https://" maxlength="2048" />
    <${Area} name="redirectUris" label="Redirect URIs" rows=${3} required
      value=${(a?.redirectUris ?? []).join('\n')} spellcheck=${false} autocapitalize="off"
      hint="One per line: https, http on 127.0.0.1 or [::1], or a private scheme that contains a dot." />
    <${ScopeChoice} key=${a?.version} catalog=${catalog} chosen=${a?.scopes} />
    ${a && html`<${Alert} tone="info">
      Removed scopes stop working in all stores immediately. Added scopes require consent again.<//>`}
  <//>`;
}

function ToggleApp({ app: a, onClose, changed }) {
  const on = Boolean(a.disabledAt);
  return html`<${ConfirmMutation} title=${(on ? 'Enable ' : 'Disable ') + a.name + '?'} name="app-move"
    submit=${on ? 'Enable' : 'Disable'} danger=${!on}
    document=${transition(on ? 'appEnable' : 'appDisable', 'app { id }')}
    variables=${{ id: a.id, expectedVersion: a.version }} done=${on ? 'App enabled.' : 'App disabled.'}
    changed=${changed} onClose=${onClose}>
    <p>${on ? 'Access that was not revoked works again in every store.'
      : 'The app loses access to every store until you enable it again.'}</p>
  <//>`;
}
