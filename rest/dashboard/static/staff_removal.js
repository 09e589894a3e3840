// The dialog that removes a person from a store.
import { html } from './lib.js';
import { useQuery } from './context.js';
import { Dialog, Pending, isolate } from './ui.js';
import { Confirm, useAction } from './form.js';

const createdQuery = `query StaffMade($id: ID!) { staffMade(id: $id) {
  apiKeys { id name hint } apps { id name } grants { id app { name } } } }`;
const remove = `mutation StaffRemove($id: ID!, $revoke: [ID!]!) {
  staffRemove(id: $id, revoke: $revoke) { removedId userErrors { code message path } } }`;

/** The items that the person created, as one list. */
const createdItems = ({ apiKeys, apps, grants }) => [
  ...apiKeys.map((k) => ({ id: k.id, name: k.name, what: 'API key ' + k.hint })),
  ...apps.map((a) => ({ id: a.id, name: a.name, what: 'App of this store; it stops working in every store' })),
  ...grants.map((g) => ({ id: g.id, name: g.app.name, what: 'Access that they granted to this app' })),
];

/** Asks for confirmation, and which of the created items to revoke. */
export function Removal({ person: p, onClose, changed }) {
  const action = useAction(remove, (v) => ({ id: p.id, revoke: v.getAll('revoke') }),
    isolate(p.name) + ' removed from the store.', changed);
  const query = useQuery(createdQuery, { id: p.id });
  const title = 'Remove ' + p.name + '?';
  if (!query.data) {
    return html`<${Dialog} title=${title} onClose=${onClose}><${Pending} of=${query} rows=${3} /><//>`;
  }
  const list = createdItems(query.data.staffMade);
  return html`<${Confirm} title=${title} name="staff-remove" submit="Remove" onClose=${onClose} action=${action}>
    <p><bdi>${p.name}</bdi> loses access to this store immediately. Their staff tokens for it and the invitations that
      they sent stop working. Their access to other stores stays.</p>
    ${list.length > 0 && html`<fieldset class="scopes" data-test="made">
      <legend>They created these and may still know the secrets. Selected items stop working too.</legend>
      ${list.map((t) => html`<div class="scope" key=${t.id}>
        <input type="checkbox" id=${'made-' + t.id} name="revoke" value=${t.id} defaultChecked
          aria-describedby=${'what-' + t.id} />
        <div><label for=${'made-' + t.id}><bdi>${t.name}</bdi></label>
          <p class="hint" id=${'what-' + t.id}>${t.what}</p></div></div>`)}</fieldset>`}
  <//>`;
}
