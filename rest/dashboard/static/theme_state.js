// What the pages about themes and the marketplace share.
import { html, useState } from './lib.js';
import { safeURL } from './ui.js';
import { Icon } from './icons.js';

export const themeFields = `id name version newVersion status source marketplaceThemeId author description assetCount
  sizeBytes
  previewImageUrl previewUrl activatedAt createdAt updatedAt`;

export const sources = { UPLOAD: 'Imported archive', MARKETPLACE: 'From the marketplace', DUPLICATE: 'Copy' };

export const themePath = (id) => '/themes/' + encodeURIComponent(id);

export const storefront = (store) => location.protocol + '//' + store.storeHost + '/';

/**
 * The path of an asset on the dashboard's host, where assets have the same path. The page's policy
 * allows images from this host only.
 */
export function assetPath(url) {
  try {
    const { pathname } = new URL(url, location.origin);
    return pathname.startsWith('/assets/') ? pathname : null;
  } catch {
    return null;
  }
}

/** A hash of a text below a limit. */
function hashOf(text, limit) {
  let n = 7;
  for (const c of text) {
    n = (n * 31 + c.codePointAt(0)) % 65_521;
  }
  return n % limit;
}

/** The preview image of a theme, or a drawing if it has none. */
export function ThemePreview({ of: t, eager }) {
  const [broken, setBroken] = useState('');
  const source = t.previewImageUrl && t.previewImageUrl !== broken ? assetPath(t.previewImageUrl) : null;
  return html`<span class="preview-image">${source
    ? html`<img src=${source} alt="" width="640" height="400" loading=${eager ? 'eager' : 'lazy'} decoding="async"
        onError=${() => setBroken(t.previewImageUrl)} />`
    : html`<${PlaceholderDrawing} name=${t.name} />`}</span>`;
}

/** A schematic storefront in a color derived from the name. */
function PlaceholderDrawing({ name }) {
  const goods = [20, 122, 224];
  return html`<svg class=${'drawing hue-' + hashOf(name, 6)} viewBox="0 0 320 200" preserveAspectRatio="xMidYMin slice"
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

export function NewTab({ href, kind = '', label, test, children }) {
  const url = safeURL(href);
  return url && html`<a class=${'button ' + kind} href=${url} target="_blank" rel="noopener" aria-label=${label}
    data-test=${test}>${children}<${Icon} name="open" size="16" /><span
    class="visually-hidden"> (opens a new tab)</span></a>`;
}

/** "Version 2.0 by Jane", as far as it is known. */
export const byline = (t) =>
  [t.version && 'Version ' + t.version, t.author && 'by ' + t.author].filter(Boolean).join(' ');
