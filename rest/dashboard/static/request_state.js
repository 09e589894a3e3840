// How the requests of keys and apps are shown.
import { html } from './lib.js';
import { Badge } from './ui.js';
import { to } from './route.js';

/** A time in microseconds, in milliseconds. */
export const took = (us) => (us < 100 ? '< 0.1 ms'
  : (us / 1000).toLocaleString(undefined, { maximumFractionDigits: us < 10_000 ? 1 : 0 }) + ' ms');

/** The status of an answer, and the code of its problem. */
export function Status({ of: r }) {
  const value = r.status < 400 ? 'DELIVERED' : r.status < 500 ? 'WARNING' : 'FAILED';
  return html`<${Badge} value=${value} text=${String(r.status)} />
    ${r.code && html`<code class="block">${r.code}</code>`}`;
}

/** Who asked, with the way to their other requests. */
export function Subject({ of: r }) {
  const [kind, by] = r.app ? ['app', r.app] : ['key', r.key];
  if (!by) {
    return '–';
  }
  return html`<a href=${to('/requests', { [kind]: by.id })}><bdi>${by.name}</bdi></a>
    <span class="muted block">
      ${kind === 'key' ? 'API key' : r.storeId ? 'Your app, in another store' : 'App'}</span>`;
}
