// The media library: choosing a file of it, in forms too.
import { html, useState } from './lib.js';
import { useApp, useQuery } from './context.js';
import { Button, Dialog, Empty, Pending, imageSource } from './ui.js';
import { errors, onEnter, useFieldError } from './form.js';
import { ImageDrop, UploadState, useUpload } from './image_upload.js';

export const mediaFields = 'id url width contentType name alt';
const list = `query Media($query: String, $after: String) {
  media(first: 24, query: $query, after: $after) { nodes { ${mediaFields} } pageInfo { hasNextPage endCursor } } }`;
const upload = `mutation MediaUpload($input: MediaUploadInput!) {
  mediaUpload(input: $input) { media { ${mediaFields} } ${errors} } }`;

/** Uploads files to the media library. onUploaded gets each file. */
export const useMediaUpload = (onUploaded) => useUpload(upload,
  (content, file) => ({ input: { content, name: file.name.slice(0, 255) || null } }), (done) => onUploaded(done.media));

/** The path of a file at the store's host, wide enough for a page. */
export function pathOf(img) {
  const { pathname } = new URL(img.url);
  return img.width > 1600 && img.contentType !== 'image/gif' ? pathname.replace(/\.(\w+)$/, '-1600.$1') : pathname;
}

/** The address on this host of a path or an address at the store's host; '' if it is no uploaded image. */
export function sourceOf(store, address) {
  const at = address?.match(/\/pictures\/(img_\w+\/[\w.-]+)$/);
  return at ? '/dashboard/pictures/' + store.id + '/' + at[1] : '';
}

/** The newest files, or those that a search finds, with a button for more. */
export function useMedia() {
  const [words, setWords] = useState('');
  const [after, setAfter] = useState([null]);
  const query = useQuery(list, { query: words || null, after: after.at(-1) });
  const find = (e) => {
    setWords(e.target.value.trim());
    setAfter([null]);
  };
  return { ...query, files: query.data?.media.nodes ?? [], words, find,
    older: query.data?.media.pageInfo.hasNextPage
      ? () => setAfter([...after, query.data.media.pageInfo.endCursor]) : null,
    newer: after.length > 1 ? () => setAfter(after.slice(0, -1)) : null };
}

export const MediaSearch = ({ of }) => html`<label class="filter"><span>Search</span>
  <input type="search" autocomplete="off" placeholder="Name or description" onKeyDown=${onEnter(of.find)}
    onChange=${of.find} data-test="media-search" /></label>`;

export const MediaMore = ({ of }) => (of.older || of.newer) && html`<div class="pager bare-pager">
  ${of.newer && html`<${Button} act=${of.newer} test="media-newer">Newer<//>`}<span class="grow"></span>
  ${of.older && html`<${Button} act=${of.older} test="media-older">Older<//>`}</div>`;

export const NoMedia = ({ of }) => html`<${Empty} icon="image"
  title=${of.words ? 'No file matches' : 'No files yet'}>${of.words ? 'Enter a part of a name or a description.'
    : 'Upload an image once, then use it in products, pages and themes.'}<//>`;

/** A dialog that chooses a file of the library, or uploads one. choose gets it. */
export function MediaPicker({ choose, onClose }) {
  const { store, can } = useApp();
  const media = useMedia();
  const pick = (img) => {
    choose(img);
    onClose();
  };
  const up = useMediaUpload(pick);
  return html`<${Dialog} title="Choose an image" onClose=${onClose} name="media-picker">
    <div class="stack tight">
      ${can('editPages') && html`<${ImageDrop} take=${up.take} /><${UploadState} of=${up} />`}
      <${MediaSearch} of=${media} />
      ${!media.data ? html`<${Pending} of=${media} rows=${3} />`
        : media.files.length === 0 ? html`<${NoMedia} of=${media} />`
        : html`<ul class="media-tiles">${media.files.map((img) => html`<li key=${img.id}><button type="button"
            class="media-tile" onClick=${() => pick(img)} data-test="media-tile">
            <img src=${imageSource(store, img)} alt=${img.alt} width="120" height="120" loading="lazy" />
            <bdi>${img.name || 'Unnamed'}</bdi></button></li>`)}</ul>`}
      <${MediaMore} of=${media} />
    </div><//>`;
}

/**
 * An image of the library in a form. read returns the value of a file, by default its path; value is
 * the present one and shown the address of its image. also are other values, such as images of a
 * theme. changed is called after each change.
 */
export function MediaField({ name, label, hint, value = '', shown = value, read = pathOf, changed, also = [] }) {
  const { store } = useApp();
  const [now, setNow] = useState({ value, shown });
  const [picking, setPicking] = useState(false);
  const wrong = useFieldError(name);
  const set = (next) => {
    setNow(next);
    changed?.(next.value);
  };
  const source = sourceOf(store, now.shown);
  return html`<div class="field media-field" role="group" aria-label=${label} data-test=${'media-' + name}>
    <span class="label"><bdi>${label}</bdi> <span class="muted">(optional)</span></span>
    <input type="hidden" key=${now.value} name=${name} value=${now.value} />
    ${now.value && html`<p class="media-chosen">${source
      ? html`<img key=${source} src=${source} alt="" width="96" height="96" />` : html`<bdi>${now.value}</bdi>`}</p>`}
    <p class="actions"><${Button} kind="small" act=${() => setPicking(true)} test="media-choose"
        label=${(now.value ? 'Change' : 'Choose') + ' image: ' + label}>${now.value ? 'Change' : 'Choose image'}<//>
      ${now.value && html`<${Button} kind="small" act=${() => set({ value: '', shown: '' })} test="media-clear"
        label=${'Remove image: ' + label}>Remove<//>`}
      ${also.filter((path) => path !== now.value).map((path) => html`<${Button} kind="small" key=${path}
        act=${() => set({ value: path, shown: path })}>Use <bdi>${path}</bdi><//>`)}</p>
    ${hint && html`<p class="hint">${hint}</p>`}
    ${wrong && html`<p class="wrong">${wrong.join(' ')}</p>`}
    ${picking && html`<${MediaPicker} onClose=${() => setPicking(false)}
      choose=${(img) => set({ value: read(img), shown: pathOf(img) })} />`}
  </div>`;
}
