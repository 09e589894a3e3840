// The images of a product: upload, order, description and removal.
import { html, useEffect, useRef, useState } from './lib.js';
import { useApp } from './context.js';
import { Failure, Refused, messageOf, mutation } from './api.js';
import { Alert, Card, Button, imageFields, imageSource } from './ui.js';
import { Confirm, useMutation, errors } from './form.js';
import { Icon } from './icons.js';
import { UploadAborted, base64, carriesFile, sendWithProgress } from './upload.js';
import { bytes } from './export_state.js';

const maxBytes = 20 << 20; // the server's limit of a file, in bytes
const maxImages = 24;
const types = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];

const productFields = `product { id version images { ${imageFields} alt } variants { id image { id } } }`;
const add = `mutation ProductImageAdd($input: ProductImageAddInput!) {
  productImageAdd(input: $input) { ${productFields} ${errors} } }`;
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

/** Returns the error of a file before upload; "" if there is none. */
function fileError(file) {
  if (!types.includes(file.type)) {
    return 'Not a JPEG, PNG, WebP or GIF image.';
  }
  return file.size > maxBytes ? 'The image is ' + bytes(file.size) + '. The maximum is 20 MiB.' : '';
}

const errorText = (e) => (e instanceof Refused || e instanceof Failure ? e.message : 'The file could not be read.');

/** Uploads files one after another and tracks their progress. */
function useUpload(product, onUploaded) {
  const [jobs, setJobs] = useState([]);
  const stop = useRef(new AbortController());
  const line = useRef(Promise.resolve());
  const latest = useRef(onUploaded);
  latest.current = onUploaded;
  useEffect(() => () => stop.current.abort(), []);
  const patch = (key, next) => setJobs((all) => all.map((j) => (j.key === key ? { ...j, ...next } : j)));
  const send = async (job) => {
    const { signal } = stop.current;
    if (signal.aborted) {
      return;
    }
    const part = (from, width) => (done) => patch(job.key, { part: from + done * width });
    try {
      const content = await base64(job.file, { progress: part(0, 0.1), signal });
      const via = sendWithProgress({ progress: part(0.1, 0.9), signal });
      const done = await mutation(add, { via })({
        input: { productId: product.id, content, filename: job.file.name.slice(0, 255) || null },
      });
      setJobs((all) => all.filter((j) => j.key !== job.key));
      latest.current(done.product, 'Image added.');
    } catch (e) {
      if (!signal.aborted && !(e instanceof UploadAborted)) {
        patch(job.key, { wrong: errorText(e) });
      }
    }
  };
  const take = (files) => {
    const fresh = [...files].map((file) => ({ key: crypto.randomUUID(), file, part: 0, wrong: fileError(file) }));
    setJobs((all) => [...all.filter((j) => !j.wrong), ...fresh]);
    for (const job of fresh.filter((j) => !j.wrong)) {
      line.current = line.current.then(() => send(job));
    }
  };
  return { jobs, take, forget: () => setJobs((all) => all.filter((j) => !j.wrong)) };
}

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
  const update = (product, text) => {
    setNow({ images: product.images, variants: product.variants });
    changed(product.version);
    if (text) {
      notify(text);
    }
  };
  const upload = useUpload(p, update);
  const calls = { change: useMutation(change), order: useMutation(order), remove: useMutation(remove),
    show: useMutation(setVariantImage) };
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
    ${now.images.length < maxImages && html`<${ImageDrop} take=${upload.take} />`}
    <div class="import-state" role="status">${upload.jobs.filter((j) => !j.wrong).map((j) => html`<div
      class="progress" key=${j.key} data-test="photo-progress"><progress max="100"
        value=${j.part < 1 ? Math.floor(j.part * 100) : undefined} aria-label=${'Upload of ' + j.file.name}></progress>
      <p class="progress-text"><span>Sending <bdi class="strong">${j.file.name}</bdi> <span
        class="muted">${bytes(j.file.size)}</span></span></p></div>`)}</div>
    ${upload.jobs.some((j) => j.wrong) && html`<${Alert}><div data-test="photo-problems">
      <ul class="problems">${upload.jobs.filter((j) => j.wrong).map((j) => html`<li key=${j.key}><bdi
        class="strong">${j.file.name}</bdi> ${j.wrong}</li>`)}</ul>
      <${Button} kind="small" act=${upload.forget}>Dismiss<//></div><//>`}
    ${p.options.length > 0 && now.images.length > 0 && html`<${VariantImages} product=${p} images=${now.images}
      variants=${now.variants} choose=${choose} />`}
    ${removing && html`<${Confirm} title="Remove this image?" name="photo-remove" submit="Remove"
      onClose=${() => setRemoving(null)} action=${removeImage}><p>It is permanently deleted and removed from
      its variants.</p><//>`}
  <//>`;
}

function ImageDrop({ take }) {
  const [over, setOver] = useState(false);
  const on = (act) => (e) => {
    if (carriesFile(e)) {
      e.preventDefault();
      act(e);
    }
  };
  const chosen = (e) => {
    take(e.target.files);
    e.target.value = ''; // allow the same file again
  };
  return html`<div class=${over ? 'drop over' : 'drop'} onDragOver=${on(() => setOver(true))}
      onDragLeave=${() => setOver(false)} onDrop=${on((e) => {
        setOver(false);
        take(e.dataTransfer.files);
      })}>
    <span class="drop-icon"><${Icon} name="upload" /></span>
    <div class="grow"><p class="strong">Add images</p>
      <p class="muted" id="photo-hint">JPEG, PNG, WebP or GIF of up to 20 MiB each. Drop them here,
        or <label for="photo-file" class="linked">choose files</label>. Camera data, such as the location,
        is removed.</p></div>
    <input type="file" id="photo-file" class="visually-hidden" multiple accept=${types.join(',')}
      aria-label="Choose images" aria-describedby="photo-hint" onChange=${chosen} data-test="photo-file" />
  </div>`;
}

export function ImageList({ product: p }) {
  const { store } = useApp();
  return html`<${Card} title="Images"><ol class="photos">${p.images.map((img, i) => html`<li class="photo"
    key=${img.id}><img class="photo-view" src=${imageSource(store, img)} alt=${img.alt || 'Image ' + (i + 1)}
      width="160" height="160" loading="lazy" decoding="async" /></li>`)}</ol><//>`;
}
