// The parts that pages are made of.
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from './lib.js';
import { useApp, go } from './context.js';
import { Icon, Glyph } from './icons.js';
import { money } from './money.js';
import { remember } from './recent.js';
import { root } from './route.js';
import { dateTime, dateOf, toSecond, exact, ago } from './dates.js';

let moved = false; // the first page keeps the focus where the browser has it

/** Notifies the pages that the address changed: their heading takes the focus. */
export function markMoved() {
  moved = true;
}

let acting = false; // something was done that may take away the button that did it

/** After this the heading takes the focus, should what has it disappear. */
export function keepFocus() {
  acting = true;
}

/** A page: its heading names it, in the tab too, and takes the focus on arrival. */
export function Page({ title, lead, actions, back, badges, children }) {
  const heading = useRef(null);
  const app = useApp();
  const { store } = app;
  useEffect(() => {
    document.title = isolate(title) + ' · ' + isolate(store.name);
    remember(app, location.pathname.slice(root.length), title);
  }, [title, store.name]);
  // What moves the focus does so before anybody can type on: later, it would take away the end of a word.
  useLayoutEffect(() => {
    if (moved) {
      heading.current.focus({ preventScroll: true });
    }
  }, []);
  useLayoutEffect(() => {
    if (acting && document.activeElement === document.body) {
      heading.current.focus({ preventScroll: true });
      acting = false;
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

/** A part of a page with a heading of its own. */
export function Card({ title, actions, children, flush, name }) {
  return html`<section class=${flush ? 'card flush' : 'card'} aria-label=${title} data-test=${name}>
    ${title && html`<div class="card-top"><h2 dir="auto">${title}</h2>
      ${actions && html`<div class="actions">${actions}</div>`}</div>`}
    ${children}
  </section>`;
}

const looks = {
  OPEN: ['blue', 'empty'], COMPLETED: ['green', 'check'], CANCELLED: ['grey', 'cross'],
  PENDING: ['amber', 'empty'], PARTIALLY_PAID: ['amber', 'half'], PAID: ['green', 'full'],
  PARTIALLY_REFUNDED: ['grey', 'half'], REFUNDED: ['grey', 'full'], VOIDED: ['grey', 'cross'],
  UNFULFILLED: ['amber', 'empty'], PARTIALLY_FULFILLED: ['amber', 'half'], FULFILLED: ['green', 'full'],
  DRAFT: ['grey', 'empty'], ACTIVE: ['green', 'full'], ARCHIVED: ['grey', 'cross'],
  GUEST: ['blue', 'empty'], DISABLED: ['amber', 'cross'], REDACTED: ['grey', 'cross'],
  LIVE: ['green', 'full'], REVOKED: ['grey', 'cross'], EXPIRED: ['grey', 'cross'], SUPERSEDED: ['amber', 'half'],
  PAUSED: ['amber', 'empty'], FAILING: ['amber', 'half'], SUSPENDED: ['red', 'cross'], WAITING: ['blue', 'empty'],
  DELIVERED: ['green', 'full'], DONE: ['green', 'full'],
  FAILED: ['red', 'cross'], HELD: ['amber', 'half'], SKIPPED: ['grey', 'cross'],
  QUEUED: ['blue', 'empty'], RUNNING: ['blue', 'half'], PROCESSING: ['blue', 'half'], INACTIVE: ['grey', 'empty'],
  SUBMITTED: ['blue', 'empty'], APPROVED: ['amber', 'half'], REJECTED: ['red', 'cross'],
  PUBLISHED: ['green', 'full'], UNLISTED: ['grey', 'cross'],
  INFO: ['blue', 'empty'], WARNING: ['amber', 'half'], CRITICAL: ['red', 'full'],
};

/** A name within a sentence that is a text alone: it keeps its own direction, and the sentence its order. */
export const isolate = (name) => '\u2068' + name + '\u2069';

/** "PARTIALLY_PAID" as people say it. */
export function words(value) {
  const text = value.toLowerCase().replaceAll('_', ' ').replace('partially', 'partly')
    .replace(/^api /, 'API ').replace(/^oauth /, 'OAuth ');
  return text[0].toUpperCase() + text.slice(1);
}

/** A state as a sign, a colour and a word; calm takes the colour from one that asks for nothing. */
export function Badge({ value, text, calm }) {
  const [tone, glyph] = looks[value] ?? ['grey', 'empty'];
  return html`<span class=${'badge ' + (calm ? 'grey' : tone)}>
    <${Glyph} name=${glyph} />${text ?? words(value)}</span>`;
}

/** An amount, in figures that stand in columns. */
export function Money({ minor, currency, minus }) {
  return html`<span class="figure">${minus ? '\u2212' : ''}${money(minor, currency)}</span>`;
}

/** A time in the store's zone; how = "date" leaves the clock out, "second" is finer, "ago" says how long ago it was. */
export function Time({ at, how }) {
  const { zone } = useApp();
  if (!at) {
    return null;
  }
  const text = how === 'ago' ? ago(at) : how === 'date' ? dateOf(at, zone)
    : how === 'second' ? toSecond(at, zone) : dateTime(at, zone);
  return html`<time datetime=${at} title=${exact(at, zone)}>${text}</time>`;
}

/** The address if it is one that may be opened: https, or http. */
export function safeURL(text) {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
  } catch {
    return null;
  }
}

/** A link to somebody else's address; one of another scheme stays text. */
export function Outside({ href, children }) {
  const url = safeURL(href);
  return url ? html`<a href=${url} target="_blank" rel="noopener noreferrer external nofollow">${children ?? href}</a>`
    : html`<span>${children ?? href}</span>`;
}

/** The members of an uploaded picture by which it is shown. */
export const imageFields = 'id url width contentType filename';

/** Where this host shows an uploaded picture, in its narrowest form. */
export function imageSource(store, img) {
  const file = img.url.slice(img.url.lastIndexOf('/') + 1);
  const less = img.width > 320 && img.contentType !== 'image/gif';
  return '/dashboard/pictures/' + store.id + '/' + img.id + '/' + (less ? file.replace('.', '-320.') : file);
}

/**
 * The picture of a product, of which id, image, imageUrl and version are known, or a drawing where
 * there is none or it does not load. It comes from this host: no other one hears of it.
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

/** What a list says when it has nothing to show. */
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

/** A sentence that matters now. */
export function Alert({ tone = 'bad', children }) {
  return html`<div class=${'alert ' + tone} role=${tone === 'bad' ? 'alert' : undefined}>
    <${Icon} name=${{ bad: 'alert', good: 'check' }[tone] ?? 'info'} /><div>${children}</div>
  </div>`;
}

/** Why something could not be read, and a way to try again. */
export function Trouble({ failure, reload }) {
  const mine = failure.code === 'forbidden' || failure.code === 'insufficient_scope';
  return html`<${Alert} tone=${mine ? 'info' : 'bad'}>
    <p>${failure.message}</p>
    ${failure.code === 'internal_error' && failure.request && html`<p class="muted">Request ${failure.request}</p>`}
    ${!mine && reload && html`<button type="button" class="button small" onClick=${reload}>Try again</button>`}
  <//>`;
}

/** Grey lines of the size of what will be there. */
export function Waiting({ rows = 5 }) {
  return html`<div class="waiting-rows" role="status"><span class="unseen">Loading</span>
    ${Array.from({ length: rows }, (_, i) => html`<div class="skeleton" key=${i}></div>`)}</div>`;
}

/** Parts with commas between them; what is empty is left out. A name among them is a bdi. */
export function Joined({ of }) {
  return of.filter(Boolean).map((part, i) => html`${i > 0 && ', '}${part}`);
}

/** Names and values. */
export function Facts({ rows }) {
  const told = rows.filter(([, v]) => v != null && v !== '' && v !== false);
  return html`<dl class="facts">${told.map(([k, v]) => html`<div key=${k}><dt>${k}</dt><dd>${v}</dd></div>`)}</dl>`;
}

/** A text with a button that copies it. */
export function Copyable({ text, test }) {
  const { notify } = useApp();
  const copy = async (e) => {
    try {
      await navigator.clipboard.writeText(text);
      notify('Copied.');
    } catch { // not a secure origin, or not allowed: select it, so that the person can
      getSelection().selectAllChildren(e.target.closest('.copyable').querySelector('code'));
      notify('Press Ctrl+C to copy the selected text.');
    }
  };
  return html`<span class="copyable"><code data-test=${test}>${text}</code>
    <button type="button" class="button small" onClick=${copy} data-test="copy">
      <${Icon} name="copy" size="16" />Copy</button></span>`;
}

/**
 * A native dialog. It closes with Escape and its button, by close where that is
 * more than onClose; with guard it stays until the person has confirmed it in words.
 */
export function Dialog({ title, onClose, close = onClose, children, guard, name }) {
  const ref = useRef(null);
  const own = useId();
  const gone = useRef(false);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog.showModal();
    return () => {
      keepFocus();
      gone.current = true;
      dialog.close(); // gives the focus back to what had it, which an open dialog keeps from taking it
    };
  }, []);
  const closed = () => !gone.current && (guard ? ref.current?.showModal() : onClose());
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

/** Shows a secret once. It goes away only when the person confirms that they have saved it. */
export function SecretDialog({
  title, secret, children, onClose, kept = 'We keep only a fingerprint of it and cannot show it again.',
}) {
  return html`<${Dialog} title=${title} guard onClose=${onClose} name="secret-dialog">
    <${Alert} tone="info">This is shown only once. ${kept}<//>
    ${children}
    <p class="secret"><${Copyable} text=${secret} test="secret" /></p>
    <div class="form-end">
      <button type="button" class="button primary" onClick=${onClose} data-test="secret-done">I have saved it</button>
    </div>
  <//>`;
}

/** Follows links inside the dashboard without loading the page anew. */
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
