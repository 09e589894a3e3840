// How the shop looks beyond its theme.
import { html, useState } from '../lib.js';
import { useApp } from '../context.js';
import { Page, Card } from '../ui.js';
import { Area, Check, Field, Form, Select, errors, text, useAction } from '../form.js';
import { CountrySelect } from '../countries.js';
import { Rows, rowsOf } from '../rows.js';
import { LocalTimeField, localTimeOf } from '../local_time_field.js';
import { MediaField } from '../media.js';
import { to } from '../route.js';

const update = `mutation StorefrontUpdate($input: StorefrontUpdateInput!) {
  storefrontUpdate(input: $input) { store { id } ${errors} } }`;

/** A form of the members that input returns. */
function useUpdate(input, done) {
  const { store, refresh } = useApp();
  return useAction(update, (v) => ({ input: { expectedVersion: store.version, ...input(v) } }), done, refresh);
}

export function Storefront() {
  return html`<${Page} title="Storefront" back=${{ href: to('/settings'), text: 'Settings' }}>
    <div class="columns">
      <${Card} title="Logo and icon" name="brand"><${Brand} /><//>
      <${Card} title="Announcement" name="announcement"><${Announcement} /><//>
      <${Card} title="Pause" name="pause"><${Pause} /><//>
      <${Card} title="Password" name="password"><${Password} /><//>
      <${Card} title="Returns" name="return-terms"><${Returns} /><//>
    </div><//>`;
}

const idOf = (img) => img.id;
const idIn = (address) => address?.match(/img_\w+/)?.[0] ?? '';

function Brand() {
  const { store, refresh } = useApp();
  const action = useUpdate((v) => ({ logoId: v.get('logoId') || null, faviconId: v.get('faviconId') || null }),
    'Logo and icon saved.');
  return html`<${Form} name="brand" submit="Save" action=${action} onStale=${refresh}>
    <${MediaField} key=${'l' + store.logo} name="logoId" label="Logo" value=${idIn(store.logo)} shown=${store.logo}
      read=${idOf} hint="Shown by themes with a logo, by the checkout and in emails. Best a PNG." />
    <${MediaField} key=${'f' + store.favicon} name="faviconId" label="Icon" value=${idIn(store.favicon)}
      shown=${store.favicon} read=${idOf} hint="Shown in browser tabs. Best a square PNG of at least 192 pixels." />
  <//>`;
}

function Announcement() {
  const { store, refresh } = useApp();
  const a = store.announcement ?? {};
  const zone = store.timezone;
  const action = useUpdate((v) => ({ announcement: text(v, 'announcement.text') ? {
    text: text(v, 'announcement.text'), link: text(v, 'announcement.link'), enabled: v.get('enabled') === 'on',
    from: localTimeOf(v, 'announcement.from', zone, a.from),
    until: localTimeOf(v, 'announcement.until', zone, a.until) } : null }),
  'Announcement saved.');
  return html`<${Form} name="announcement" submit="Save" action=${action} onStale=${refresh}>
    <${Field} key=${'t' + a.text} name="announcement.text" label="Text" optional value=${a.text} maxlength="300"
      hint="Shown above every page of the shop, the cart and the checkout. For example, Free shipping this week." />
    <${Field} key=${'l' + a.link} name="announcement.link" label="Link" optional value=${a.link} maxlength="2048"
      hint="For example, /collections/sale, or a URL that starts with https://" />
    <${Check} key=${'e' + a.enabled} name="enabled" label="Show the announcement" value=${a.enabled ?? true} />
    <${LocalTimeField} key=${'f' + a.from} name="announcement.from" label="From" optional at=${a.from} zone=${zone} />
    <${LocalTimeField} key=${'u' + a.until} name="announcement.until" label="Until" optional at=${a.until}
      zone=${zone} />
  <//>`;
}

function Pause() {
  const { store, refresh } = useApp();
  const p = store.pause?.until && Date.parse(store.pause.until) <= Date.now() ? null : store.pause;
  const zone = store.timezone;
  const [on, setOn] = useState(Boolean(p));
  const action = useUpdate((v) => ({ pause: v.get('paused') === 'on' ? { message: text(v, 'pause.message') ?? '',
    until: localTimeOf(v, 'pause.until', zone, p?.until) } : null }),
  ({ input }) => (input.pause ? 'Selling paused.' : 'The shop sells.'));
  return html`<${Form} name="pause" submit="Save" action=${action} onStale=${refresh}
    reset=${() => setOn(Boolean(p))}>
    <p class="muted">For holidays: the shop stays visible with your message, and nobody can order.</p>
    <${Check} key=${'p' + Boolean(p)} name="paused" label="Pause selling" value=${Boolean(p)}
      onChange=${(e) => setOn(e.target.checked)} />
    ${on && html`<${Field} key=${'m' + p?.message} name="pause.message" label="Message" required value=${p?.message}
        maxlength="300"
        hint="For example, We are on holiday and ship again from 24 August." />
      <${LocalTimeField} key=${'u' + p?.until} name="pause.until" label="Until" optional at=${p?.until} zone=${zone}
        hint="Leave empty to end the pause yourself." />`}
  <//>`;
}

function Password() {
  const { store, refresh } = useApp();
  const [on, setOn] = useState(store.passwordProtected);
  const [saves, setSaves] = useState(0);
  const action = useUpdate((v) => (v.get('protected') !== 'on' ? { password: null }
    : text(v, 'password') ? { password: text(v, 'password') } : {}),
  ({ input }) => {
    setSaves(saves + 1);
    return input.password === null ? 'Everyone can visit the shop.' : 'Password saved.';
  });
  return html`<${Form} name="shop-password" submit="Save" action=${action} onStale=${refresh}
    reset=${() => setOn(store.passwordProtected)}>
    <p class="muted">Visitors enter it before they see anything, and search engines are kept out. Pages of orders stay
      visible.</p>
    <${Check} key=${'p' + store.passwordProtected} name="protected" label="Visitors need a password"
      value=${store.passwordProtected} onChange=${(e) => setOn(e.target.checked)} />
    ${on && html`<${Field} key=${saves} name="password" label=${store.passwordProtected ? 'New password' : 'Password'}
      type="password" autocomplete="new-password" maxlength="255" required=${!store.passwordProtected}
      optional=${store.passwordProtected} hint=${store.passwordProtected ? 'Leave empty to keep it.' : null} />`}
  <//>`;
}

const withdrawals = [['', 'Automatic: where EU law gives consumers the right'], ['on', 'On'], ['off', 'Off']];

function Returns() {
  const { store, refresh } = useApp();
  const r = store.returns;
  const days = (v, name) => Number(v.get(name));
  const action = useUpdate((v) => ({ returns: {
    requests: v.get('requests') === 'on',
    withdrawal: v.get('withdrawal') ? v.get('withdrawal') === 'on' : null,
    days: days(v, 'returns.days'),
    countries: rowsOf(v, 'returns.countries', '.country', (at) => ({ country: (v.get(at + '.country') ?? '').trim(),
      days: days(v, at + '.days') })),
    instructions: text(v, 'returns.instructions'),
    excludedTags: (v.get('returns.excludedTags') ?? '').split(',').map((s) => s.trim()).filter(Boolean),
  } }), 'Returns saved.');
  return html`<${Form} key=${JSON.stringify(r)} name="return-terms" submit="Save" action=${action} onStale=${refresh}>
    <${Check} name="requests" label="Shoppers can ask for a return" value=${r.requests}
      hint="On the page of their order, once items are shipped. You approve or decline each request." />
    <${Select} name="withdrawal" label="Withdrawal from contracts" options=${withdrawals}
      value=${r.withdrawal == null ? '' : r.withdrawal ? 'on' : 'off'}
      hint="Shops that sell to consumers in the EU or the EEA must offer it. It is linked in the footer of the shop." />
    <${Field} name="returns.days" label="Days to return an order" type="number" min="1" max="730" step="1" required
      value=${r.days} hint="After it was shipped, plus 7 days for the delivery. Withdrawals have at least 14 days." />
    <${Rows} name="returns.countries" legend="Other days by country" one="Country" max="50" initial=${r.countries}
      row=${ReturnCountry} />
    <${Area} name="returns.instructions" label="Instructions" optional value=${r.instructions} maxlength="1000"
      hint="Shown to shoppers who ask for a return. For example, who pays for the shipping." />
    <${Field} name="returns.excludedTags" label="Tags of excluded products" optional
      value=${r.excludedTags.join(', ')} hint="For example, custom-made, hygiene. Separate tags with commas." />
  <//>`;
}

function ReturnCountry({ at, of }) {
  return html`<div class="variant-cells">
    <${CountrySelect} name=${at + '.country'} label="Country" value=${of.country ?? ''} required />
    <${Field} name=${at + '.days'} label="Days" type="number" min="1" max="730" step="1" required
      value=${of.days ?? ''} />
    </div>`;
}
