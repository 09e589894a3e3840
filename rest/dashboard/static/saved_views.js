// Saved views: named filters of a list, stored in this browser by person and store.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { Dialog, Button } from './ui.js';
import { Field, Form, FieldError, text } from './form.js';
import { Icon } from './icons.js';
import { to } from './route.js';

const maxViews = 12;
const keyOf = ({ account, store }, path) => 'views ' + account.id + ' ' + store.id + ' ' + path;

/** The saved views of a list. @returns {{name: string, query: string}[]} */
function read(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key)) ?? [];
    return kept.filter((v) => typeof v.name === 'string' && typeof v.query === 'string').slice(0, maxViews);
  } catch {
    return [];
  }
}

/** The filters in a canonical order, without the page of the list. */
function filterKey(query) {
  const members = Object.entries(query).filter(([k, v]) => k !== 'after' && v !== '' && v != null);
  return new URLSearchParams(members.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
}

/**
 * The saved views of the list at path, and a button that saves the current filters. standard are
 * views that everyone has, with their filters in the order of their names.
 */
export function SavedViews({ path, filters, standard = [] }) {
  const app = useApp();
  const key = keyOf(app, path);
  const [views, setViews] = useState(() => read(key));
  const [naming, setNaming] = useState(false);
  const now = filterKey(filters);
  const save = (next) => {
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      app.notify('This browser cannot store views.', 'bad');
      return;
    }
    setViews(next);
  };
  const add = async (v) => {
    const title = (text(v, 'view') ?? '').slice(0, 40);
    if (views.some((o) => o.name === title)) {
      throw new FieldError('view', 'A view with this name already exists.');
    }
    save([...views, { name: title, query: now }]);
    setNaming(false);
  };
  const known = [...standard, ...views].some((v) => v.query === now);
  const can = now !== '' && !known && views.length < maxViews;
  return (standard.length + views.length > 0 || can) && html`<nav class="views" aria-label="Saved views"
    data-test="views">
    <ul>${standard.map((v) => html`<li key=${v.name} class=${v.query === now ? 'view fixed now' : 'view fixed'}>
        <a href=${to(path) + '?' + v.query} aria-current=${v.query === now ? 'page' : undefined}
          data-test="view-standard">${v.name}</a></li>`)}
      ${views.map((v) => html`<li key=${v.name} class=${v.query === now ? 'view now' : 'view'}>
      <a href=${to(path) + '?' + v.query} aria-current=${v.query === now ? 'page' : undefined}
        data-test="view"><bdi>${v.name}</bdi></a>
      <button type="button" aria-label=${'Delete the view ' + v.name} title="Delete this view" data-test="view-delete"
        onClick=${() => save(views.filter((o) => o !== v))}><${Icon} name="close" size="16" /></button></li>`)}</ul>
    ${can && html`<${Button} kind="small" icon="plus" act=${() => setNaming(true)} test="view-save">Save this view<//>`}
    ${naming && html`<${Dialog} title="Save this view" onClose=${() => setNaming(false)} name="view-dialog">
      <${Form} name="view" submit="Save view" action=${add} cancel=${() => setNaming(false)}>
        <${Field} name="view" label="Name" required autocomplete="off"
          hint="Only visible to you, in this browser." /><//><//>`}
  </nav>`;
}
