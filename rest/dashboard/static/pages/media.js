// The media library: files that pages, products and themes show.
import { html, useState } from '../lib.js';
import { useApp } from '../context.js';
import { Button, Card, Page, Pending, imageSource } from '../ui.js';
import { ConfirmMutation, Field, FormDialog, errors, useAction } from '../form.js';
import { ImageDrop, UploadState } from '../image_upload.js';
import { MediaMore, MediaSearch, NoMedia, useMedia, useMediaUpload } from '../media.js';

const update = `mutation MediaUpdate($id: ID!, $name: String, $alt: String) {
  mediaUpdate(id: $id, name: $name, alt: $alt) { media { id } ${errors} } }`;
const remove = `mutation MediaDelete($id: ID!) { mediaDelete(id: $id) { deletedId ${errors} } }`;

export function Media() {
  const { can, notify } = useApp();
  const media = useMedia();
  const [editing, setEditing] = useState(null);
  const [deleting, setDeleting] = useState(null);
  const may = can('editPages');
  const upload = useMediaUpload(() => {
    notify('File uploaded.');
    media.refresh();
  });
  return html`<${Page} title="Media" lead="Upload an image once, then use it in products, pages and themes.">
    <${Card} name="media">
      ${may && html`<${ImageDrop} take=${upload.take} /><${UploadState} of=${upload} />`}
      <${MediaSearch} of=${media} />
      ${!media.data ? html`<${Pending} of=${media} rows=${6} />`
        : media.files.length === 0 ? html`<${NoMedia} of=${media} />`
        : html`<ul class="photos">${media.files.map((img) => html`<${File} key=${img.id} of=${img} may=${may}
          onEdit=${setEditing} onDelete=${setDeleting} />`)}</ul>`}
      <${MediaMore} of=${media} />
    <//>
    ${editing && html`<${Edit} of=${editing} onClose=${() => setEditing(null)} changed=${media.reload} />`}
    ${deleting && html`<${ConfirmMutation} title="Delete this file?" name="media-delete" submit="Delete"
      document=${remove} variables=${{ id: deleting.id }} done="File deleted." changed=${media.reload}
      onClose=${() => setDeleting(null)}><p><bdi class="strong">${deleting.name}</bdi> is permanently deleted.</p><//>`}
  <//>`;
}

function File({ of: img, may, onEdit, onDelete }) {
  const { store } = useApp();
  const name = img.name || 'Unnamed';
  return html`<li class="photo" data-test="media-file" data-id=${img.id}>
    <img class="photo-view" src=${imageSource(store, img)} alt=${img.alt} width="160" height="160" loading="lazy"
      decoding="async" />
    <div><p class="strong"><bdi>${name}</bdi></p>
      <p class="muted">${img.alt || 'No description'}</p>
      ${may && html`<div class="photo-buttons"><${Button} kind="small" act=${() => onEdit(img)} test="media-edit"
          label=${'Edit ' + name}>Edit<//><span class="grow"></span>
        <${Button} kind="small danger-quiet" act=${() => onDelete(img)} test="media-delete"
          label=${'Delete ' + name}>Delete<//></div>`}</div>
  </li>`;
}

function Edit({ of: img, onClose, changed }) {
  const action = useAction(update, (v) => ({ id: img.id, name: v.get('name'), alt: v.get('alt').trim() }),
    'File saved.', changed);
  return html`<${FormDialog} title="Edit file" name="media-edit" onClose=${onClose} action=${action}>
    <${Field} name="name" label="Name" value=${img.name} required maxlength="255" />
    <${Field} name="alt" label="Description" optional value=${img.alt} maxlength="512"
      hint="Read aloud to people who cannot see the image. For example, Blue mug on a wooden table." />
  <//>`;
}
