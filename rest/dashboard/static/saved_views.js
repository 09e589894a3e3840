// Saved views: named filters of a list, stored by person and store.
import { html, useEffect, useState } from './lib.js';
import { useApp } from './context.js';
import { Dialog, Button } from './ui.js';
import { Field, Form, FieldError, errors, text, useMutation } from './form.js';
import { Icon } from './icons.js';
import { messageOf } from './api.js';
import { to } from './route.js';

const members = 'views { list name query }';
const saving = `mutation SavedViewsSave($views: [SavedViewInput!]!) {
  savedViewsSave(views: $views) { ${members} ${errors} } }`;
const deleting = `mutation SavedViewDelete($list: String!, $name: String!) {
  savedViewDelete(list: $list, name: $name) { ${members} ${errors} } }`;
const ofList = (views, list) => views.filter((v) => v.list === list).map(({ name, query }) => ({ name, query }));
const keyOf = ({ account, store }, path) => 'views ' + account.id + ' ' + store.id + ' ' + path;

/** The views that an earlier version kept in this browser. @returns {{name: string, query: string}[]} */
function read(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key)) ?? [];
    return kept.filter((v) => typeof v.name === 'string' && typeof v.query === 'string');
  } catch {
    return [];
  }
}

/** The filters in a canonical order, without the page of the list. */
function filterKey(query) {
  const members = Object.entries(query).filter(([k, v]) => k !== 'after' && v !== '' && v != null);
  return new URLSearchParams(members.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
}

/** The views with names that no other view has. */
function renamed(views, others) {
  const free = (name, n = 1) => {
    const tried = n === 1 ? name : name.slice(0, 36) + ' ' + n;
    return others.some((o) => o.name === tried) ? free(name, n + 1) : tried;
  };
  return views.map((v) => ({ ...v, name: free(v.name) }));
}

/**
 * The saved views of the list at path, and a button that saves the current filters. standard are
 * views that everyone has, with their filters in the order of their names. Earlier versions of the
 * dashboard kept views in the browser, from where they are moved.
 */
export function SavedViews({ path, filters, standard = [] }) {
  const app = useApp();
  const list = path.slice(1);
  const key = keyOf(app, path);
  const [saved, setSaved] = useState(() => ofList(app.account.savedViews ?? [], list));
  const [kept, setKept] = useState(() => read(key));
  const [naming, setNaming] = useState(false);
  const run = { save: useMutation(saving), remove: useMutation(deleting) };
  const now = filterKey(filters);
  const views = [...saved, ...kept];
  const show = (all) => {
    app.account.savedViews = all;
    setSaved(ofList(all, list));
  };
  const save = async (some) => show((await run.save({ views: some.map((v) => ({ ...v, list })) })).views);
  const keep = (some) => {
    localStorage.setItem(key, JSON.stringify(some));
    setKept(some);
  };
  useEffect(() => {
    if (kept.length > 0) {
      save(renamed(kept, saved)).then(() => keep([]), () => {}); // those that cannot be moved stay
    }
  }, []);
  const remove = async (v) => {
    if (kept.includes(v)) {
      keep(kept.filter((o) => o !== v));
      return;
    }
    try {
      show((await run.remove({ list, name: v.name })).views);
    } catch (err) {
      app.notify(messageOf(err), 'bad');
    }
  };
  const add = async (v) => {
    const name = text(v, 'view') ?? '';
    if (views.some((o) => o.name === name)) {
      throw new FieldError('view', 'A view with this name already exists.');
    }
    await save([{ name, query: now }]);
    setNaming(false);
  };
  const known = [...standard, ...views].some((v) => v.query === now);
  const can = now !== '' && !known;
  return (standard.length + views.length > 0 || can) && html`<nav class="views" aria-label="Saved views"
    data-test="views">
    <ul>${standard.map((v) => html`<li key=${v.name} class=${v.query === now ? 'view fixed now' : 'view fixed'}>
        <a href=${to(path) + '?' + v.query} aria-current=${v.query === now ? 'page' : undefined}
          data-test="view-standard">${v.name}</a></li>`)}
      ${views.map((v) => html`<li key=${v.name} class=${v.query === now ? 'view now' : 'view'}>
      <a href=${to(path) + '?' + v.query} aria-current=${v.query === now ? 'page' : undefined}
        data-test="view"><bdi>${v.name}</bdi></a>
      <button type="button" aria-label=${'Delete the view ' + v.name} title="Delete this view" data-test="view-delete"
        onClick=${() => remove(v)}><${Icon} name="close" size="16" /></button></li>`)}</ul>
    ${can && html`<${Button} kind="small" icon="plus" act=${() => setNaming(true)} test="view-save">Save this view<//>`}
    ${naming && html`<${Dialog} title="Save this view" onClose=${() => setNaming(false)} name="view-dialog">
      <${Form} name="view" submit="Save view" action=${add} cancel=${() => setNaming(false)}>
        <${Field} name="view" label="Name" required autocomplete="off" maxlength="40"
          hint="Only visible to you." /><//><//>`}
  </nav>`;
}
