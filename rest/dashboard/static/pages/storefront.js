// How the shop looks beyond its theme.
import { html } from '../lib.js';
import { useApp } from '../context.js';
import { Page, Card } from '../ui.js';
import { Form, errors, useAction } from '../form.js';
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
    <div class="columns"><${Card} title="Logo and icon" name="brand"><${Brand} /><//></div><//>`;
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
