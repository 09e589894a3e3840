// The store's settings, and the person's own account.
import { html, useState } from '../lib.js';
import { useApp, useQuery } from '../context.js';
import { Page, Card, Facts, Time, Badge, Trouble, Waiting, words } from '../ui.js';
import { Amount, Check, Form, Field, Wrong, Confirm, amount, text, useMutation } from '../form.js';
import { roleNames } from '../role.js';

const errors = 'userErrors { code message path }';
const update = `mutation StoreUpdate($input: StoreUpdateInput!) {
  storeUpdate(input: $input) { store { id } ${errors} } }`;
const password = `mutation PasswordChange($current: String!, $next: String!) {
  passwordChange(current: $current, next: $next) { changed ${errors} } }`;
const require = `mutation StoreRequireSecondFactor($expectedVersion: Long!, $required: Boolean!) {
  storeRequireSecondFactor(expectedVersion: $expectedVersion, required: $required) { store { id } ${errors} } }`;
const refunds = `mutation StoreSetRefundProof($expectedVersion: Long!, $aboveMinor: Long) {
  storeSetRefundProof(expectedVersion: $expectedVersion, aboveMinor: $aboveMinor) { store { id } ${errors} } }`;
const everywhere = `mutation SignOutEverywhere { signOutEverywhere { sessions ${errors} } }`;
const sessions = 'query Sessions { account { sessions { agent current createdAt seenAt expiresAt } } }';

const zones = Intl.supportedValuesOf?.('timeZone') ?? [];

export function Settings() {
  const { account, store, can, choose } = useApp();
  return html`<${Page} title="Settings">
    <div class="columns">
      <${Card} title="Store" name="store-settings">${can('store') ? html`<${StoreForm} />`
          : html`<${Facts} rows=${[['Name', store.name], ['Time zone', store.timezone]]} />`}
        <${Facts} rows=${[
          ['Currency', store.currency], ['Address', store.storeHost], ['Status', words(store.status)],
          ['Id', html`<code class="id">${store.id}</code>`],
        ]} /><//>
      <div class="stack">
        <${Card} title="You" name="account">
          <${Facts} rows=${[['Name', account.name], ['E-mail', account.email],
            ['Role here', roleNames[account.role] ?? account.role]]} />
          <form method="post" action="/sign-out"><button type="submit" class="button">Sign out</button></form>
        <//>
        ${account.memberships.length > 1 && html`<${Card} title="Your stores" name="stores"><ul class="doors">
          ${account.memberships.map((m) => html`<li key=${m.store.id}>
            <span class="grow"><span class="strong">${m.store.name}</span> <span
              class="muted">${roleNames[m.role] ?? m.role}</span></span>
            ${m.store.id === store.id ? html`<span class="muted">Shown now</span>`
              : html`<button type="button" class="button small" onClick=${() => choose(m.store.id)}
                  aria-label=${'Open ' + m.store.name} data-test="store-open">Open</button>`}</li>`)}</ul><//>`}
      </div>
      ${can('owners') && html`<${Card} title="Second factors" name="require-factor"><${Requirement} /><//>`}
      ${can('owners') && html`<${Card} title="Refunds" name="refund-proof"><${RefundProof} /><//>`}
      <${Card} title="Change your password" name="password"><${Password} /><//>
      <${Card} title="Where you are signed in" name="sessions"><${Sessions} /><//>
    </div>
  <//>`;
}

function StoreForm() {
  const { store, notify, refresh } = useApp();
  const run = useMutation(update);
  const action = async (v) => {
    const timezone = (v.get('timezone') ?? '').trim();
    await run({ input: { expectedVersion: store.version, name: v.get('name'), timezone } });
    notify('The store is saved.');
    refresh();
  };
  return html`<${Form} name="store" submit="Save" action=${action} onStale=${refresh}>
    <${Field} key=${'n' + store.version} name="name" label="Name" value=${store.name} required maxlength="255" />
    <${Field} key=${'z' + store.version} name="timezone" label="Time zone" value=${store.timezone} maxlength="64"
      list="zones" autocomplete="off" spellcheck=${false} hint="Reports and times run in it. Such as Europe/Vienna." />
    <datalist id="zones">${zones.map((z) => html`<option key=${z} value=${z}></option>`)}</datalist>
  <//>`;
}

/** Whether the people of the store need a second factor. */
function Requirement() {
  const { store, notify, refresh } = useApp();
  const run = useMutation(require);
  const action = async (v) => {
    const required = v.get('required') === 'on';
    await run({ expectedVersion: store.version, required });
    notify(required ? 'Everybody needs a second factor now.' : 'Nobody needs a second factor any more.');
    refresh();
  };
  return html`<${Form} name="require-factor" submit="Save" action=${action} onStale=${refresh}>
    <${Check} key=${store.version} name="required" label="Require a second factor of everybody in this store"
      value=${store.secondFactor} hint="Who has none sees nothing of the store until they have set one up." />
    <p class="muted">Set one up for yourself first, on the page <a href="/dashboard/security">Security</a>. Staff tokens
      and API keys work on without.</p>
  <//>`;
}

/** From which sum on a refund needs a proof of who makes it. */
function RefundProof() {
  const { store, notify, refresh } = useApp();
  const run = useMutation(refunds);
  const action = async (v) => {
    const aboveMinor = text(v, 'above') && amount(v, 'above', store.currency);
    await run({ expectedVersion: store.version, aboveMinor });
    notify(aboveMinor == null ? 'Refunds need no proof any more.' : 'Larger refunds need a proof now.');
    refresh();
  };
  return html`<${Form} name="refund-proof" submit="Save" action=${action} onStale=${refresh}>
    <${Amount} key=${store.version} name="above" label="Ask who it is above" optional minor=${store.refundProofMinor}
      currency=${store.currency} hint="Leave it empty, and no refund asks." />
    <p class="muted">Who refunds more than this of one order proves first that it is them, if they have not within the
      last ten minutes.</p>
  <//>`;
}

function Password() {
  const { notify, account } = useApp();
  const run = useMutation(password, { once: false });
  const [turn, again] = useState(0);
  const action = async (v) => {
    if (v.get('next') !== v.get('repeat')) {
      throw new Wrong('repeat', 'This is not the same as the new password.');
    }
    await run({ current: v.get('current'), next: v.get('next') });
    notify('Your password is changed. Your other sessions and your staff tokens are ended.');
    again(turn + 1);
  };
  return html`<${Form} key=${turn} name="password" submit="Change password" action=${action}>
    <input type="text" name="username" autocomplete="username" value=${account.email} hidden readonly />
    <${Field} name="current" label="Present password" type="password" autocomplete="current-password" required />
    <${Field} name="next" label="New password" type="password" autocomplete="new-password" required
      hint="At least 10 characters, and not your name or e-mail address." />
    <${Field} name="repeat" label="New password again" type="password" autocomplete="new-password" required />
    <p class="muted">This ends your other sessions, and your staff tokens in all stores.</p>
  <//>`;
}

const programs = [['Edg/', 'Edge'], ['OPR/', 'Opera'], ['Firefox/', 'Firefox'], ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'], ['curl/', 'curl']];
const systems = [['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Windows', 'Windows'],
  ['Mac OS', 'macOS'], ['Linux', 'Linux']];

/** What a browser calls itself, in few words; all of it is in the title. */
function browser(agent) {
  const name = programs.find(([mark]) => agent.includes(mark))?.[1];
  const system = systems.find(([mark]) => agent.includes(mark))?.[1];
  return [name, system].filter(Boolean).join(' on ') || agent.slice(0, 60) || 'Unknown browser';
}

function Sessions() {
  const query = useQuery(sessions);
  const [asking, ask] = useState(false);
  if (query.failure) {
    return html`<${Trouble} failure=${query.failure} reload=${query.reload} />`;
  }
  if (!query.data) {
    return html`<${Waiting} rows=${3} />`;
  }
  const list = query.data.account.sessions;
  return html`<ul class="sessions" data-test="session-list">${list.map((s, i) => html`<li key=${i}>
      <div class="grow"><p class="strong" title=${s.agent}>${browser(s.agent)}</p>
        <p class="muted">Seen <${Time} at=${s.seenAt} how="ago" />, since <${Time} at=${s.createdAt} how="date" /></p>
        </div>
      ${s.current && html`<${Badge} value="ACTIVE" text="This one" />`}</li>`)}</ul>
    ${list.length === 0 && html`<p class="muted">No browser is signed in.</p>`}
    <div class="form-end">
      <button type="button" class="button danger-quiet" onClick=${() => ask(true)}
        data-test="sign-out-everywhere">Sign out everywhere</button></div>
    ${asking && html`<${Everywhere} onClose=${() => ask(false)} />`}`;
}

function Everywhere({ onClose }) {
  const run = useMutation(everywhere, { once: false });
  const action = async () => {
    await run({});
    location.assign('/sign-in');
    return false;
  };
  return html`<${Confirm} title="Sign out everywhere?" name="sign-out-everywhere" submit="Sign out everywhere"
    onClose=${onClose} action=${action}>
    <p>Every browser in which you are signed in is signed out, this one too. Staff tokens stay.</p>
  <//>`;
}
