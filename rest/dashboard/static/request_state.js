// Formatting of logged requests.
import { html } from './lib.js';
import { Badge } from './ui.js';
import { to } from './route.js';

/** A duration in microseconds as milliseconds. */
export const formatDuration = (us) => (us < 100 ? '< 0.1 ms'
  : (us / 1000).toLocaleString(undefined, { maximumFractionDigits: us < 10_000 ? 1 : 0 }) + ' ms');

/** The status of a response and its error code. */
export function Status({ of: r }) {
  const value = r.status < 400 ? 'DELIVERED' : r.status < 500 ? 'WARNING' : 'FAILED';
  return html`<${Badge} value=${value} text=${String(r.status)} />
    ${r.code && html`<code class="block">${r.code}</code>`}`;
}

/** The API key or app of a request, with a link to its other requests. */
export function Subject({ of: r }) {
  const [kind, by] = r.app ? ['app', r.app] : ['key', r.key];
  if (!by) {
    return '–';
  }
  return html`<a href=${to('/requests', { [kind]: by.id })}><bdi>${by.name}</bdi></a>
    <span class="muted block">
      ${kind === 'key' ? 'API key' : r.storeId ? 'Your app, in another store' : 'App'}</span>`;
}
