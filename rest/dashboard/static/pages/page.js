// A page of the storefront: editing, preview and publishing.
import { html, useState } from '../lib.js';
import { useApp, useQuery, go } from '../context.js';
import { Page, Card, Badge, Time, Facts, MissingPage, Button } from '../ui.js';
import {
  Form, Field, Area, Select, ActionButton, ConfirmMutation, text, transition, useAction, useMutation, errors,
} from '../form.js';
import { MarkdownEditor } from '../markdown_editor.js';
import { CopyValue, ViewInStore } from '../copy.js';
import { to } from '../route.js';

const fields = 'id title handle status kind body seoDescription publishedAt version createdAt updatedAt';
const read = `query Page($id: ID!) { page(id: $id) { ${fields} } }`;
const create = `mutation PageCreate($input: PageCreateInput!) { pageCreate(input: $input) { page { id } ${errors} } }`;
const update = `mutation PageUpdate($id: ID!, $expectedVersion: Long!, $input: PageUpdateInput!) {
  pageUpdate(id: $id, expectedVersion: $expectedVersion, input: $input) { page { id } ${errors} } }`;
const remove = transition('pageDelete', 'deletedId');

const kinds = [['', 'Custom'], ['IMPRINT', 'Imprint'], ['PRIVACY', 'Privacy'], ['SHIPPING', 'Shipping'],
  ['CONTACT', 'Contact'], ['TERMS', 'Terms of sale']];
const back = { href: to('/pages'), text: 'Pages' };

const input = (v) => ({
  title: v.get('title'), body: v.get('body'), kind: v.get('kind') || null, seoDescription: text(v, 'seoDescription'),
  ...(text(v, 'handle') ? { handle: text(v, 'handle') } : {}),
});

function Inputs({ page: p = {}, fixed }) {
  return html`<div class="split">
    <div class="stack">
      <${Card} title="Text">
        <${Field} name="title" label="Title" value=${p.title} required maxlength="255" disabled=${fixed} />
        <${MarkdownEditor} name="body" label="Text" value=${p.body} rows=${16} required maxlength="65535"
          disabled=${fixed} test="page"
          hint="Markdown: # Heading, **bold**, - a list, [a link](https://…). HTML is shown as plain text." />
      <//>
    </div>
    <div class="stack"><${Card} title="Address">
      <${Select} name="kind" label="Kind" value=${p.kind ?? ''} options=${kinds} disabled=${fixed}
        hint="A store can have one page of each kind, except custom pages." />
      <${Field} name="handle" label="Handle" optional value=${p.handle} maxlength="120" autocapitalize="off"
        spellcheck=${false} hint=${'Its address is /pages/' + (p.handle ?? '…') + '. Leave empty to use the title.'}
        disabled=${fixed} />
      <${Area} name="seoDescription" label="For search engines" optional value=${p.seoDescription} rows=${3}
        maxlength="320" disabled=${fixed} />
    <//></div>
  </div>`;
}

export function PageNew() {
  const action = useAction(create, (v) => ({ input: input(v) }), 'Draft created.',
    ({ page }) => go(to('/pages/' + page.id), { replace: true }));
  return html`<${Page} title="New page" back=${back} lead="New pages are drafts, which shoppers cannot see.">
    <${Form} name="page" submit="Create draft" action=${action}><${Inputs} /><//>
  <//>`;
}

export function PageEdit({ id }) {
  const { can } = useApp();
  const query = useQuery(read, { id });
  const [deleting, setDeleting] = useState(false);
  const p = query.data?.page;
  const action = useAction(update, (v) => ({ id, expectedVersion: p.version, input: input(v) }), 'Page saved.',
    query.reload);
  if (!p) {
    return html`<${MissingPage} query=${query} name="Page" icon="note" back=${back} />`;
  }
  const may = can('editPages');
  const actions = html`${p.status === 'PUBLISHED' && html`<${ViewInStore} path=${'/pages/' + p.handle} />`}
    ${may && html`<${StatusButtons} page=${p} changed=${query.reload} onDelete=${() => setDeleting(true)} />`}`;
  const facts = [['Published', p.publishedAt && html`<${Time} at=${p.publishedAt} />`],
    ['Changed', html`<${Time} at=${p.updatedAt} />`], ['ID', html`<${CopyValue} text=${p.id} what="the ID" />`]];
  return html`<${Page} title=${p.title} back=${back} actions=${actions} badges=${html`<${Badge} value=${p.status} />`}>
    ${may ? html`<${Form} name="page" submit="Save" action=${action} onStale=${query.reload}>
      <${Inputs} key=${p.version} page=${p} /><//>`
      : html`<${Inputs} page=${p} fixed />`}
    <${Card} title="Details"><${Facts} rows=${facts} /><//>
    ${deleting && html`<${Remove} page=${p} onClose=${() => setDeleting(false)} changed=${query.reload} />`}
  <//>`;
}

function StatusButtons({ page, changed, onDelete }) {
  const published = page.status === 'PUBLISHED';
  const name = published ? 'pageUnpublish' : 'pagePublish';
  return html`<${StatusButton} key=${name} name=${name} page=${page} changed=${changed}
    kind=${published ? '' : 'primary'}
      label=${published ? 'Unpublish' : 'Publish'}
      done=${published ? 'Page unpublished.' : 'Page published.'} />
    <${Button} kind="danger-quiet" act=${onDelete} test="page-delete">Delete<//>`;
}

function StatusButton({ name, page, label, done, kind, changed }) {
  const run = useMutation(transition(name, 'page { id }'));
  return html`<${ActionButton} kind=${kind} done=${done} onStale=${changed} data-test=${name}
    run=${async () => {
      await run({ id: page.id, expectedVersion: page.version });
      changed();
    }}>${label}<//>`;
}

function Remove({ page: p, onClose, changed }) {
  return html`<${ConfirmMutation} title="Delete this page?" name="page-delete" submit="Delete" document=${remove}
    variables=${{ id: p.id, expectedVersion: p.version }} done="Page deleted."
    changed=${() => go(to('/pages'), { replace: true })} onStale=${changed} onClose=${onClose}>
    <p><strong><bdi>${p.title}</bdi></strong> is permanently deleted, with the menu links to it.</p>
  <//>`;
}
