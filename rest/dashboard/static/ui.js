// The components that pages are built from.
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from './lib.js';
import { useApp, go } from './context.js';
import { Icon, Glyph } from './icons.js';
import { money } from './money.js';
import { remember } from './recent.js';
import { root } from './route.js';
import { dateTime, dateOf, toSecond, exactTime, ago } from './dates.js';

let navigated = false; // the browser decides the focus of the first page

/** Tells the next page to focus its heading. */
export function markMoved() {
  navigated = true;
}

let focusMayVanish = false; // an action may have removed the focused element

/** Moves the focus to the heading if the focused element disappears. */
export function keepFocus() {
  focusMayVanish = true;
}

/** A page. Its heading is the document title and gets the focus after navigation. */
export function Page({ title, lead, actions, back, badges, children }) {
  const heading = useRef(null);
  const app = useApp();
  const { store } = app;
  useEffect(() => {
    document.title = isolate(title) + ' · ' + isolate(store.name);
    remember(app, location.pathname.slice(root.length), title);
  }, [title, store.name]);
  // A layout effect, because later the focus could move while the person is typing.
  useLayoutEffect(() => {
    if (navigated) {
      heading.current.focus({ preventScroll: true });
    }
  }, []);
  useLayoutEffect(() => {
    if (focusMayVanish && document.activeElement === document.body) {
      heading.current.focus({ preventScroll: true });
      focusMayVanish = false;
    }
  });
  return html`<div class="page">
    ${back && html`<a class="back" href=${back.href}><${Icon} name="back" size="16" />${back.text}</a>`}
    <div class="top">
      <div class="grow">
        <h1 tabindex="-1" ref=${heading} dir="auto">${title}</h1>
        ${badges && html`<div class="badges">${badges}</div>`}
        ${lead && html`<p class="lead">${lead}</p>`}
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </div>
    ${children}
  </div>`;
}

export function Card({ title, actions, children, flush, name }) {
  return html`<section class=${flush ? 'card flush' : 'card'} aria-label=${title} data-test=${name}>
    ${title && html`<div class="card-top"><h2 dir="auto">${title}</h2>
      ${actions && html`<div class="actions">${actions}</div>`}</div>`}
    ${children}
  </section>`;
}

const badgeStyles = {
  OPEN: ['blue', 'empty'], COMPLETED: ['green', 'check'], CANCELLED: ['gray', 'cross'],
  PENDING: ['amber', 'empty'], PARTIALLY_PAID: ['amber', 'half'], PAID: ['green', 'full'],
  PARTIALLY_REFUNDED: ['gray', 'half'], REFUNDED: ['gray', 'full'], VOIDED: ['gray', 'cross'],
  UNFULFILLED: ['amber', 'empty'], PARTIALLY_FULFILLED: ['amber', 'half'], FULFILLED: ['green', 'full'],
  DRAFT: ['gray', 'empty'], ACTIVE: ['green', 'full'], ARCHIVED: ['gray', 'cross'],
  GUEST: ['blue', 'empty'], DISABLED: ['amber', 'cross'], REDACTED: ['gray', 'cross'],
  LIVE: ['green', 'full'], REVOKED: ['gray', 'cross'], EXPIRED: ['gray', 'cross'], SUPERSEDED: ['amber', 'half'],
  PAUSED: ['amber', 'empty'], FAILING: ['amber', 'half'], SUSPENDED: ['red', 'cross'], WAITING: ['blue', 'empty'],
  DELIVERED: ['green', 'full'], DONE: ['green', 'full'],
  FAILED: ['red', 'cross'], HELD: ['amber', 'half'], SKIPPED: ['gray', 'cross'],
  QUEUED: ['blue', 'empty'], RUNNING: ['blue', 'half'], PROCESSING: ['blue', 'half'], INACTIVE: ['gray', 'empty'],
  SUBMITTED: ['blue', 'empty'], REQUESTED: ['blue', 'empty'], RECEIVED: ['amber', 'full'],
  DECLINED: ['gray', 'cross'], APPROVED: ['amber', 'half'], REJECTED: ['red', 'cross'],
  PUBLISHED: ['green', 'full'], UNLISTED: ['gray', 'cross'],
  INFO: ['blue', 'empty'], WARNING: ['amber', 'half'], CRITICAL: ['red', 'full'],
};

/** Isolates the direction of a name within a sentence. */
export const isolate = (name) => '\u2068' + name + '\u2069';

/** "PARTIALLY_PAID" becomes "Partly paid". */
export function humanize(value) {
  const text = value.toLowerCase().replaceAll('_', ' ').replace('partially', 'partly')
    .replace(/^api /, 'API ').replace(/^oauth /, 'OAuth ');
  return text[0].toUpperCase() + text.slice(1);
}

/** A state as a symbol, a color and a word. calm makes it gray. */
export function Badge({ value, text, calm }) {
  const [tone, glyph] = badgeStyles[value] ?? ['gray', 'empty'];
  return html`<span class=${'badge ' + (calm ? 'gray' : tone)}>
    <${Glyph} name=${glyph} />${text ?? humanize(value)}</span>`;
}

export function Money({ minor, currency, minus }) {
  return html`<span class="figure">${minus ? '\u2212' : ''}${money(minor, currency)}</span>`;
}

/** A time in the store's zone, or none. how is "date", "second" or "ago"; the default is to the minute. */
export function Time({ at, how, none }) {
  const { zone } = useApp();
  if (!at) {
    return none ? html`<span class="muted">${none}</span>` : null;
  }
  const text = how === 'ago' ? ago(at) : how === 'date' ? dateOf(at, zone)
    : how === 'second' ? toSecond(at, zone) : dateTime(at, zone);
  return html`<time datetime=${at} title=${exactTime(at, zone)}>${text}</time>`;
}

/** Returns the URL if its scheme is https or http, or null. */
export function safeURL(text) {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
  } catch {
    return null;
  }
}

/** A link to another site. Other schemes are shown as text. */
export function ExternalLink({ href, children }) {
  const url = safeURL(href);
  return url ? html`<a href=${url} target="_blank" rel="noopener noreferrer external nofollow">${children ?? href}</a>`
    : html`<span>${children ?? href}</span>`;
}

export const imageFields = 'id url width contentType filename';

/** The address of an uploaded image on this host, in its smallest width. */
export function imageSource(store, img) {
  const file = img.url.slice(img.url.lastIndexOf('/') + 1);
  const less = img.width > 320 && img.contentType !== 'image/gif';
  return '/dashboard/pictures/' + store.id + '/' + img.id + '/' + (less ? file.replace('.', '-320.') : file);
}

/**
 * The image of a product, or an icon if it has none or it does not load. External images are served
 * by this host too, so the browser contacts no other one.
 */
export function Thumb({ product: p, size = 44 }) {
  const { store } = useApp();
  const [broken, setBroken] = useState('');
  const url = p?.image ? imageSource(store, p.image)
    : p?.imageUrl ? '/dashboard/pictures/' + store.id + '/' + p.id + '?v=' + p.version : null;
  const source = url !== broken ? url : null;
  return html`<span class="thumb" data-size=${size}>${source
    ? html`<img src=${source} alt="" width=${size} height=${size} loading="lazy" decoding="async"
        onError=${() => setBroken(url)} />`
    : html`<${Icon} name="image" />`}</span>`;
}

export function Empty({ icon = 'info', title, children }) {
  return html`<div class="empty">
    <svg class="empty-art" width="120" height="72" viewBox="0 0 120 72" aria-hidden="true" focusable="false">
      <rect x="8" y="14" width="104" height="50" rx="8" class="art-back" />
      <rect x="20" y="26" width="44" height="6" rx="3" class="art-line" />
      <rect x="20" y="38" width="64" height="6" rx="3" class="art-line" />
      <circle cx="92" cy="20" r="17" class="art-spot" /><g transform="translate(82 10)"><${Icon} name=${icon} /></g>
    </svg>
    <p class="empty-title">${title}</p>
    ${children && html`<div class="empty-more">${children}</div>`}
  </div>`;
}

/** A button. kind holds more classes, icon names one before the text, and test is its data-test. */
export const Button = ({ kind, icon, label, act, test, children, ...rest }) => html`<button type="button"
  class=${kind ? 'button ' + kind : 'button'} aria-label=${label} onClick=${act} data-test=${test} ...${rest}>
  ${icon && html`<${Icon} name=${icon} size="16" />`}${children}</button>`;

export function Alert({ tone = 'bad', children }) {
  return html`<div class=${'alert ' + tone} role=${tone === 'bad' ? 'alert' : undefined}>
    <${Icon} name=${{ bad: 'alert', good: 'check' }[tone] ?? 'info'} /><div>${children}</div>
  </div>`;
}

export function LoadError({ failure, reload }) {
  const mine = failure.code === 'forbidden' || failure.code === 'insufficient_scope';
  return html`<${Alert} tone=${mine ? 'info' : 'bad'}>
    <p>${failure.message}</p>
    ${failure.code === 'internal_error' && failure.request && html`<p class="muted">Request ${failure.request}</p>`}
    ${!mine && reload && html`<${Button} kind="small" act=${reload}>Try again<//>`}
  <//>`;
}

/** Gray lines in place of content that loads. */
export function Skeleton({ rows = 5 }) {
  return html`<div class="waiting-rows" role="status"><span class="visually-hidden">Loading</span>
    ${Array.from({ length: rows }, (_, i) => html`<div class="skeleton" key=${i}></div>`)}</div>`;
}

/** Shown in place of data that is loading or could not be loaded. */
export function Pending({ of: query, rows }) {
  return query.failure ? html`<${LoadError} failure=${query.failure} reload=${query.reload} />`
    : html`<${Skeleton} rows=${rows} />`;
}

/** The page of a resource that is loading, could not be loaded or does not exist. children explain why it may not. */
export function MissingPage({ query, name, icon, back, rows = 8, children }) {
  return html`<${Page} title=${query.data ? name + ' not found' : name} back=${back}>
    ${query.data ? html`<${Empty} icon=${icon} title=${`This ${name.toLowerCase()} does not exist.`}>${children}<//>`
      : query.failure ? html`<${Pending} of=${query} />` : html`<${Card}><${Pending} of=${query} rows=${rows} /><//>`}
  <//>`;
}

/** Parts separated by commas, without empty ones. */
export function Joined({ of }) {
  return of.filter(Boolean).map((part, i) => html`${i > 0 && ', '}${part}`);
}

export function Facts({ rows }) {
  const present = rows.filter(([, v]) => v != null && v !== '' && v !== false);
  return html`<dl class="facts">${present.map(([k, v]) => html`<div key=${k}><dt>${k}</dt><dd>${v}</dd></div>`)}</dl>`;
}

export function Copyable({ text, test }) {
  const { notify } = useApp();
  const copy = async (e) => {
    try {
      await navigator.clipboard.writeText(text);
      notify('Copied.');
    } catch { // not permitted: select the text instead
      getSelection().selectAllChildren(e.target.closest('.copyable').querySelector('code'));
      notify('Press Ctrl+C to copy the selected text.');
    }
  };
  return html`<span class="copyable"><code data-test=${test}>${text}</code>
    <${Button} kind="small" icon="copy" act=${copy} test="copy">Copy<//></span>`;
}

/**
 * A native dialog. Escape and the Close button call close, if it differs from onClose. A guarded
 * dialog can only be closed by its own button.
 */
export function Dialog({ title, onClose, close = onClose, children, guard, name }) {
  const ref = useRef(null);
  const own = useId();
  const unmounted = useRef(false);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog.showModal();
    return () => {
      keepFocus();
      unmounted.current = true;
      dialog.close(); // returns the focus to the element that had it
    };
  }, []);
  const closed = () => !unmounted.current && (guard ? ref.current?.showModal() : onClose());
  const cancelled = (e) => {
    if (guard || close !== onClose) {
      e.preventDefault();
    }
    if (!guard && close !== onClose) {
      close();
    }
  };
  return html`<dialog ref=${ref} aria-labelledby=${own} data-test=${name} onClose=${closed} onCancel=${cancelled}>
    <div class="dialog-top"><h2 id=${own}>${title}</h2>
      ${!guard && html`<button type="button" class="icon-button" aria-label="Close" onClick=${close}>
        <${Icon} name="close" /></button>`}</div>
    ${children}
  </dialog>`;
}

/** Shows a secret once, until the person confirms that they have saved it. */
export function SecretDialog({
  title, secret, children, onClose, note = 'We keep only a fingerprint of it and cannot show it again.',
}) {
  return html`<${Dialog} title=${title} guard onClose=${onClose} name="secret-dialog">
    <${Alert} tone="info">This is shown only once. ${note}<//>
    ${children}
    <p class="secret"><${Copyable} text=${secret} test="secret" /></p>
    <div class="form-end">
      <${Button} kind="primary" act=${onClose} test="secret-done">I have saved it<//>
    </div>
  <//>`;
}

/** Follows links within the dashboard without loading the page. */
export function follow(e) {
  const a = e.target.closest?.('a[href]');
  const modified = e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey;
  if (!a || e.defaultPrevented || modified || a.target || a.download || a.origin !== location.origin) {
    return;
  }
  if (a.pathname === '/dashboard' || a.pathname.startsWith('/dashboard/')) {
    if (a.hash && a.pathname === location.pathname) {
      return;
    }
    e.preventDefault();
    go(a.pathname + a.search);
  }
}
