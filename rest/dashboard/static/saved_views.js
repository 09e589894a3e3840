// Saved views: filters of a list under a name, kept in this browser for one person in one store.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { Dialog } from './ui.js';
import { Field, Form, Wrong, text } from './form.js';
import { Icon } from './icons.js';
import { to } from './route.js';

const most = 12;
const keyOf = ({ account, store }, path) => 'views ' + account.id + ' ' + store.id + ' ' + path;

/** The views of a list. @returns {{name: string, query: string}[]} */
function read(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key)) ?? [];
    return kept.filter((v) => typeof v.name === 'string' && typeof v.query === 'string').slice(0, most);
  } catch {
    return [];
  }
}

/** The filters as one text, whatever their order; the page of the list is none of them. */
function signature(query) {
  const members = Object.entries(query).filter(([k, v]) => k !== 'after' && v !== '' && v != null);
  return new URLSearchParams(members.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
}

/** The views of the list at a path, and how to keep the present filters as another one. */
export function SavedViews({ path, filters }) {
  const app = useApp();
  const key = keyOf(app, path);
  const [views, set] = useState(() => read(key));
  const [naming, name] = useState(false);
  const now = signature(filters);
  const save = (next) => {
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      app.notify('This browser cannot store views.', 'bad');
      return;
    }
    set(next);
  };
  const add = async (v) => {
    const title = (text(v, 'view') ?? '').slice(0, 40);
    if (views.some((o) => o.name === title)) {
      throw new Wrong('view', 'A view with this name already exists.');
    }
    save([...views, { name: title, query: now }]);
    name(false);
  };
  const known = views.some((v) => v.query === now);
  const can = now !== '' && !known && views.length < most;
  return (views.length > 0 || can) && html`<nav class="views" aria-label="Saved views" data-test="views">
    <ul>${views.map((v) => html`<li key=${v.name} class=${v.query === now ? 'view now' : 'view'}>
      <a href=${to(path) + '?' + v.query} aria-current=${v.query === now ? 'page' : undefined}
        data-test="view"><bdi>${v.name}</bdi></a>
      <button type="button" aria-label=${'Delete the view ' + v.name} title="Delete this view" data-test="view-delete"
        onClick=${() => save(views.filter((o) => o !== v))}><${Icon} name="close" size="16" /></button></li>`)}</ul>
    ${can && html`<button type="button" class="button small" onClick=${() => name(true)} data-test="view-save">
      <${Icon} name="plus" size="16" />Save this view</button>`}
    ${naming && html`<${Dialog} title="Save this view" onClose=${() => name(false)} name="view-dialog">
      <${Form} name="view" submit="Save view" action=${add} cancel=${() => name(false)}>
        <${Field} name="view" label="Name" required autocomplete="off"
          hint="Only visible to you, in this browser." /><//><//>`}
  </nav>`;
}
