// The images of a product: upload, order, description and removal.
import { html, useRef, useState } from './lib.js';
import { useApp } from './context.js';
import { messageOf } from './api.js';
import { Card, Button, imageFields, imageSource } from './ui.js';
import { Confirm, useMutation, errors } from './form.js';
import { Icon } from './icons.js';
import { ImageDrop, UploadState, useUpload } from './image_upload.js';
import { MediaPicker } from './media.js';

const maxImages = 24;

const productFields = `product { id version images { ${imageFields} alt } variants { id image { id } } }`;
const add = `mutation ProductImageAdd($input: ProductImageAddInput!) {
  productImageAdd(input: $input) { ${productFields} ${errors} } }`;
const use = `mutation ProductImageUse($productId: ID!, $mediaId: ID!) {
  productImageUse(productId: $productId, mediaId: $mediaId) { ${productFields} ${errors} } }`;
const change = `mutation ProductImageChange($id: ID!, $alt: String!) {
  productImageChange(id: $id, alt: $alt) { ${productFields} ${errors} } }`;
const order = `mutation ProductImagesOrder($productId: ID!, $ids: [ID!]!) {
  productImagesOrder(productId: $productId, ids: $ids) { ${productFields} ${errors} } }`;
const remove = `mutation ProductImageDelete($id: ID!) { productImageDelete(id: $id) { ${productFields} ${errors} } }`;
const setVariantImage = `mutation ProductVariantImageSet($productId: ID!, $variantId: ID!, $imageId: ID) {
  productVariantImageSet(productId: $productId, variantId: $variantId, imageId: $imageId) {
    ${productFields} ${errors} } }`;

/** The fields of a product that this editor needs, besides its variants. */
export const imagesOf = `images { ${imageFields} alt }`;

function ImageItem({ of: img, at, count, busy, move, describe, onRemove, drag }) {
  const { store } = useApp();
  const name = 'image ' + (at + 1);
  return html`<li class=${'photo' + (drag.over === at ? ' over' : '')} data-test="photo" data-id=${img.id}
      onDragOver=${(e) => drag.onto(e, at)} onDrop=${(e) => drag.drop(e, at)}>
    <img class="photo-view" src=${imageSource(store, img)} alt=${img.alt || 'Image ' + (at + 1)} width="160"
      height="160" loading="lazy" decoding="async" draggable="true" onDragStart=${(e) => drag.start(e, at)}
      onDragEnd=${drag.end} />
    <div class="photo-text">
      <div class="field"><label for=${'alt-' + img.id}>Description of ${name}</label>
        <input id=${'alt-' + img.id} defaultValue=${img.alt} maxlength="512" placeholder="The product\u2019s title"
          data-test="photo-alt" onChange=${(e) => describe(img, e.target.value)} /></div>
      <div class="photo-buttons">
        <button type="button" class="icon-button" aria-label=${'Move ' + name + ' forward'} disabled=${busy || at === 0}
          onClick=${() => move(at, at - 1)} data-test="photo-up"><${Icon} name="up" /></button>
        <button type="button" class="icon-button" aria-label=${'Move ' + name + ' back'}
          disabled=${busy || at === count - 1} onClick=${() => move(at, at + 1)}
          data-test="photo-down"><${Icon} name="down" /></button>
        <span class="grow"></span>
        <${Button} kind="small danger-quiet" label=${'Remove ' + name} act=${() => onRemove(img)}
          test="photo-remove">Remove<//>
      </div>
    </div>
  </li>`;
}

/** Drag and drop of one image to the position of another. */
function useDrag(move) {
  const from = useRef(null);
  const [over, setOver] = useState(null);
  const end = () => {
    from.current = null;
    setOver(null);
  };
  return {
    over,
    end,
    start: (e, at) => {
      from.current = at;
      e.dataTransfer.effectAllowed = 'move';
      e.dataTransfer.setData('text/plain', '');
    },
    onto: (e, at) => {
      if (from.current !== null) {
        e.preventDefault();
        setOver(at);
      }
    },
    drop: (e, at) => {
      if (from.current !== null) {
        e.preventDefault();
        const start = from.current;
        end();
        if (start !== at) {
          move(start, at);
        }
      }
    },
  };
}

function VariantImages({ product: p, images, variants, choose }) {
  const of = (id) => variants.find((v) => v.id === id)?.image?.id ?? '';
  return html`<details class="photo-variants"><summary>Variant images</summary>
    ${p.variants.map((v) => html`<div class="field" key=${v.id}>
      <label for=${'shows-' + v.id}><bdi>${v.title}</bdi></label>
      <select id=${'shows-' + v.id} data-test="variant-image"
        onChange=${(e) => choose(v, e.target.value || null)}>
        <option value="">No image</option>
        ${images.map((img, i) => html`<option key=${img.id} value=${img.id} selected=${of(v.id) === img.id}>${
          (i + 1) + (img.alt || img.filename ? ': ' + (img.alt || img.filename) : '')}</option>`)}
      </select></div>`)}
  </details>`;
}

/**
 * The editor of a product's images. Each change is saved immediately.
 * @param {(version: number) => void} changed gets the product's new version
 */
export function Images({ product: p, changed }) {
  const { notify } = useApp();
  const [now, setNow] = useState({ images: p.images, variants: p.variants });
  const [busy, setBusy] = useState(false);
  const [removing, setRemoving] = useState(null);
  const [picking, setPicking] = useState(false);
  const update = (product, text) => {
    setNow({ images: product.images, variants: product.variants });
    changed(product.version);
    if (text) {
      notify(text);
    }
  };
  const upload = useUpload(add, (content, file) => ({
    input: { productId: p.id, content, filename: file.name.slice(0, 255) || null },
  }), (done) => update(done.product, 'Image added.'));
  const calls = { change: useMutation(change), order: useMutation(order), remove: useMutation(remove),
    show: useMutation(setVariantImage), use: useMutation(use) };
  const act = async (run, variables, text) => {
    setBusy(true);
    try {
      update((await calls[run](variables)).product, text);
    } catch (e) {
      const message = messageOf(e);
      setNow((s) => ({ ...s }));
      notify(message, 'bad');
    } finally {
      setBusy(false);
    }
  };
  const move = (from, to) => {
    const images = [...now.images];
    images.splice(to, 0, ...images.splice(from, 1));
    setNow({ ...now, images });
    act('order', { productId: p.id, ids: images.map((i) => i.id) }, 'Order saved.');
  };
  const drag = useDrag(move);
  const describe = (img, alt) => act('change', { id: img.id, alt: alt.trim() }, 'Description saved.');
  const choose = (v, imageId) => act('show', { productId: p.id, variantId: v.id, imageId }, 'Variant image saved.');
  const fromMedia = (img) => act('use', { productId: p.id, mediaId: img.id }, 'Image added.');
  const removeImage = async () => {
    update((await calls.remove({ id: removing.id })).product, 'Image removed.');
    setRemoving(null);
  };
  return html`<${Card} title="Images" name="images">
    <p class="muted">The first image is shown in lists. While the product has images here, the storefront ignores
      the external image.</p>
    ${now.images.length > 0 && html`<ol class="photos">${now.images.map((img, i) => html`<${ImageItem} key=${img.id}
      of=${img} at=${i} count=${now.images.length} busy=${busy} move=${move} describe=${describe}
      onRemove=${setRemoving}
      drag=${drag} />`)}</ol>`}
    ${now.images.length < maxImages && html`<${ImageDrop} take=${upload.take} />
      <p><${Button} kind="small" act=${() => setPicking(true)} test="photo-media">Choose from media<//></p>`}
    ${picking && html`<${MediaPicker} onClose=${() => setPicking(false)} choose=${fromMedia} />`}
    <${UploadState} of=${upload} />
    ${p.options.length > 0 && now.images.length > 0 && html`<${VariantImages} product=${p} images=${now.images}
      variants=${now.variants} choose=${choose} />`}
    ${removing && html`<${Confirm} title="Remove this image?" name="photo-remove" submit="Remove"
      onClose=${() => setRemoving(null)} action=${removeImage}><p>It is permanently deleted and removed from
      its variants.</p><//>`}
  <//>`;
}

export function ImageList({ product: p }) {
  const { store } = useApp();
  return html`<${Card} title="Images"><ol class="photos">${p.images.map((img, i) => html`<li class="photo"
    key=${img.id}><img class="photo-view" src=${imageSource(store, img)} alt=${img.alt || 'Image ' + (i + 1)}
      width="160" height="160" loading="lazy" decoding="async" /></li>`)}</ol><//>`;
}
