// The files that buyers of a product download.
import { html, useState } from './lib.js';
import { useQuery } from './context.js';
import { Button, Card } from './ui.js';
import { ConfirmMutation, Field, FormDialog, useAction, errors } from './form.js';
import { bytes } from './export_state.js';
import { base64 } from './upload.js';

const read = `query ProductFiles($id: ID!) { productFiles(productId: $id) {
  variantId filename sizeBytes } }`;
const set = `mutation ProductFileSet($input: ProductFileInput!) { productFileSet(input: $input) { ${errors} } }`;
const remove = `mutation ProductFileRemove($productId: ID!, $variantId: ID!) {
  productFileRemove(productId: $productId, variantId: $variantId) { ${errors} } }`;

const maxBytes = 20 << 20; // the server's limit of a file, in bytes

/** The files of a product, by variant. A physical product usually has none. */
export function ProductFiles({ product: p }) {
  const query = useQuery(read, { id: p.id });
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const files = query.data?.productFiles;
  if (!files || (p.requiresShipping && files.length === 0)) {
    return null;
  }
  const rows = p.variants.map((v) => ({ id: v.id, name: v.options.join(' / '), file: fileOf(files, v.id) }));
  const gone = files.filter((f) => !rows.some((r) => r.id === f.variantId))
    .map((f) => ({ id: f.variantId, name: 'Of a removed variant', file: f }));
  return html`<${Card} title="Files to download" name="product-files">
    <p class="muted">Shoppers download them from the page of their order once it is paid, up to 5 times for each unit.
      A new file replaces the former one for all buyers.</p>
    <ul class="sessions">${[...rows, ...gone].map((r) => html`<li key=${r.id}>
      <div class="grow">${r.name && html`<p class="line-title"><bdi>${r.name}</bdi></p>`}
        <p>${r.file ? html`<bdi>${r.file.filename}</bdi>` : 'No file'}</p>
        ${r.file && html`<p class="muted">${bytes(r.file.sizeBytes)}</p>`}
      </div>
      <span class="row-actions">
        <${Button} kind="small" act=${() => setDialog({ set: r })} test="file-set"
          label=${((r.file ? 'Change file ' : 'Upload file ') + r.name).trim()}>${r.file ? 'Change' : 'Upload'}<//>
        ${r.file && html`<${Button} kind="small danger-quiet" act=${() => setDialog({ remove: r })}
          label=${'Remove ' + r.file.filename} test="file-remove">Remove<//>`}</span>
    </li>`)}</ul>
    ${dialog?.set && html`<${SetFile} product=${p} row=${dialog.set} onClose=${close} changed=${query.refresh} />`}
    ${dialog?.remove && html`<${ConfirmMutation} title="Remove the file?" name="file-remove" submit="Remove"
      document=${remove} variables=${{ productId: p.id, variantId: dialog.remove.id }} done="File removed."
      changed=${query.refresh} onClose=${close}><p>Its buyers can no longer download it.</p><//>`}
  <//>`;
}

const fileOf = (files, id) => files.find((f) => f.variantId === id);

function SetFile({ product: p, row, onClose, changed }) {
  const run = useAction(set, (input) => ({ input }), 'File saved.', changed);
  const action = async (v) => {
    const file = v.get('file');
    const { signal } = new AbortController();
    const content = await base64(file, { progress: () => {}, signal });
    return run({ productId: p.id, variantId: row.id, filename: file.name, content });
  };
  const check = ({ target }) => target.setCustomValidity(target.files[0]?.size > maxBytes
    ? 'The file is ' + bytes(target.files[0].size) + '. The maximum is 20 MiB.' : '');
  return html`<${FormDialog} title=${row.file ? 'Change the file' : 'Upload a file'} name="product-file" submit="Save"
    onClose=${onClose} action=${action}>
    <${Field} name="file" label="File" type="file" required hint="Up to 20 MiB." onChange=${check} />
  <//>`;
}
