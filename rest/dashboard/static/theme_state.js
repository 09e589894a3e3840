// What the pages about themes and the marketplace say alike.
import { html, useState } from './lib.js';
import { safeURL } from './ui.js';
import { Icon } from './icons.js';

export const errors = 'userErrors { code message path }';

/** The fields of a theme that its card shows. */
export const themeFields = `id name version newVersion status source marketplaceThemeId author description assetCount
  sizeBytes
  previewImageUrl previewUrl activatedAt createdAt updatedAt`;

export const sources = { UPLOAD: 'Imported archive', MARKETPLACE: 'From the marketplace', DUPLICATE: 'Copy' };

/** The path of a theme's page. */
export const themePath = (id) => '/themes/' + encodeURIComponent(id);

/** Where customers see the store. */
export const storefront = (store) => location.protocol + '//' + store.storeHost + '/';

/**
 * The address of an asset on the host that the dashboard is on: assets have the
 * same path on every host, and pictures of this one alone need no permission.
 */
export function ownAsset(url) {
  try {
    const { pathname } = new URL(url, location.origin);
    return pathname.startsWith('/assets/') ? pathname : null;
  } catch {
    return null;
  }
}

/** A number for a text, the same each time, below a limit. */
function pick(text, limit) {
  let n = 7;
  for (const c of text) {
    n = (n * 31 + c.codePointAt(0)) % 65_521;
  }
  return n % limit;
}

/** A picture of a theme, or a drawing of a storefront where it has none. */
export function Picture({ of: t, eager }) {
  const [broken, setBroken] = useState('');
  const source = t.previewImageUrl && t.previewImageUrl !== broken ? ownAsset(t.previewImageUrl) : null;
  return html`<span class="picture">${source
    ? html`<img src=${source} alt="" width="640" height="400" loading=${eager ? 'eager' : 'lazy'} decoding="async"
        onError=${() => setBroken(t.previewImageUrl)} />`
    : html`<${Drawing} name=${t.name} />`}</span>`;
}

/** A storefront in outlines, in a colour that the name chooses. */
function Drawing({ name }) {
  const goods = [20, 122, 224];
  return html`<svg class=${'drawing hue-' + pick(name, 6)} viewBox="0 0 320 200" preserveAspectRatio="xMidYMin slice"
    aria-hidden="true" focusable="false" data-test="drawing">
    <rect width="320" height="200" class="d-ground" />
    <rect width="320" height="26" class="d-bar" /><circle cx="22" cy="13" r="5" class="d-ink" />
    <rect x="220" y="10" width="22" height="6" rx="3" class="d-line" />
    <rect x="250" y="10" width="22" height="6" rx="3" class="d-line" />
    <rect x="280" y="10" width="22" height="6" rx="3" class="d-line" />
    <rect x="20" y="40" width="280" height="66" rx="6" class="d-hero" />
    <text x="34" y="82" class="d-letter">${[...name][0]?.toUpperCase() ?? ''}</text>
    <rect x="84" y="60" width="120" height="9" rx="4" class="d-ink" />
    <rect x="84" y="77" width="76" height="7" rx="3" class="d-line" />
    ${goods.map((x) => html`<g key=${x}><rect x=${x} y="120" width="76" height="52" rx="5" class="d-hero" />
      <rect x=${x} y="180" width="50" height="6" rx="3" class="d-line" />
      <rect x=${x} y="191" width="28" height="6" rx="3" class="d-ink" /></g>`)}
  </svg>`;
}

/** A link that opens another page of ours or of the storefront in a tab of its own. */
export function NewTab({ href, kind = '', label, test, children }) {
  const url = safeURL(href);
  return url && html`<a class=${'button ' + kind} href=${url} target="_blank" rel="noopener" aria-label=${label}
    data-test=${test}>${children}<${Icon} name="open" size="16" /><span class="unseen"> (opens a new tab)</span></a>`;
}

/** "2.0 by Jane", as far as it is known. */
export const byline = (t) =>
  [t.version && 'Version ' + t.version, t.author && 'by ' + t.author].filter(Boolean).join(' ');
