// Actions on a theme. Each is a dialog with one mutation.
import { html } from './lib.js';
import { useApp } from './context.js';
import {
  ActionButton, Confirm, Field, FormDialog, FieldError, ConfirmMutation, useAction, useMutation, errors,
} from './form.js';
import { isolate } from './ui.js';

export const activate = `mutation ThemeActivate($id: ID!) { themeActivate(id: $id) { theme { id } ${errors} } }`;
const rename = `mutation ThemeRename($id: ID!, $name: String!) {
  themeRename(id: $id, name: $name) { theme { id } ${errors} } }`;
const duplicate = `mutation ThemeDuplicate($id: ID!, $name: String) {
  themeDuplicate(id: $id, name: $name) { theme { id } ${errors} } }`;
const update = `mutation ThemeUpdate($id: ID!) { themeUpdate(id: $id) { theme { id name } ${errors} } }`;
const remove = `mutation ThemeDelete($id: ID!) { themeDelete(id: $id) { deletedId ${errors} } }`;

const quoted = (name) => '\u201c' + isolate(name) + '\u201d';

/** Activates a theme. done gets the theme, so that the page can offer Undo. */
export function Activate({ theme: t, former, onClose, done }) {
  const { store } = useApp();
  const run = useMutation(activate);
  const action = async () => {
    await run({ id: t.id });
    done(t);
  };
  return html`<${Confirm} title=${'Activate ' + quoted(t.name) + '?'} name="theme-activate" submit="Activate"
    danger=${false} onClose=${onClose} action=${action}>
    <p>Everyone who visits <strong class="url">${store.storeHost}</strong> sees it within
      seconds${former && html`, in place of <strong><bdi>${former.name}</bdi></strong>`}. You can change back at any
      time.</p>
  <//>`;
}

function nameOf(v) {
  const name = (v.get('name') ?? '').trim();
  if (!name) {
    throw new FieldError('name', 'Enter a name.');
  }
  return name;
}

export function Rename({ theme: t, onClose, changed }) {
  const action = useAction(rename, (v) => ({ id: t.id, name: nameOf(v) }), 'Theme renamed.', () => changed());
  return html`<${FormDialog} title=${'Rename ' + quoted(t.name)} name="theme-rename" submit="Rename"
    busyText="Renaming" onClose=${onClose} action=${action}>
    <${Field} name="name" label="Name" value=${t.name} required maxlength="255"
      hint="Only staff of this store see it." />
  <//>`;
}

export function Duplicate({ theme: t, onClose, changed }) {
  const action = useAction(duplicate, (v) => ({ id: t.id, name: nameOf(v) }), 'Theme duplicated.',
    ({ theme }) => changed(theme?.id));
  return html`<${FormDialog} title=${'Duplicate ' + quoted(t.name)} name="theme-duplicate" submit="Duplicate"
    busyText="Duplicating" onClose=${onClose} action=${action}>
    <${Field} name="name" label="Name of the copy" value=${t.name + ' copy'} required maxlength="255" />
  <//>`;
}

export function Delete({ theme: t, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Delete ' + quoted(t.name) + '?'} name="theme-delete" submit="Delete"
    document=${remove} variables=${{ id: t.id }} done="Theme deleted." changed=${changed} onClose=${onClose}>
    <p>It is permanently removed from this
      store${t.source === 'MARKETPLACE' ? '. It can be installed from the marketplace again' : ''}.</p>
  <//>`;
}

/** Installs the marketplace's latest version next to the theme. added gets its id. */
export function Update({ theme: t, kind = '', added }) {
  const run = useMutation(update);
  const action = async () => {
    const { theme } = await run({ id: t.id });
    added(theme?.id);
  };
  return t.newVersion && html`<${ActionButton} kind=${kind} run=${action} data-test="theme-update"
    aria-label=${'Update to ' + t.newVersion + ': ' + t.name}
    done=${t.name + ' ' + t.newVersion + ' is added with your settings. Shoppers see it once you activate it.'}>
    Update to ${t.newVersion}<//>`;
}
