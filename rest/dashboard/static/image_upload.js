// Uploading images: where they are dropped, and how far they are.
import { html, useEffect, useId, useRef, useState } from './lib.js';
import { Failure, Refused, mutation } from './api.js';
import { Alert, Button } from './ui.js';
import { Icon } from './icons.js';
import { UploadAborted, base64, carriesFile, sendWithProgress } from './upload.js';
import { bytes } from './export_state.js';

const maxBytes = 20 << 20; // the server's limit of a file, in bytes
const types = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];

/** Returns the error of a file before upload; "" if there is none. */
function fileError(file) {
  if (/^image\/(avif|hei[cf])$/.test(file.type) || /\.(avif|hei[cf])$/i.test(file.name)) {
    return 'AVIF and HEIC images are not supported. Save it as JPEG or PNG.';
  }
  if (!types.includes(file.type)) {
    return 'Not a JPEG, PNG, WebP or GIF image.';
  }
  return file.size > maxBytes ? 'The image is ' + bytes(file.size) + '. The maximum is 20 MiB.' : '';
}

const errorText = (e) => (e instanceof Refused || e instanceof Failure ? e.message : 'The file could not be read.');

/**
 * Uploads files one after another and tracks their progress.
 * @param {string} document a mutation with one file
 * @param {(content: string, file: File) => object} input returns its variables
 * @param {(payload: object) => void} onUploaded gets the payload of each upload
 */
export function useUpload(document, input, onUploaded) {
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
      const done = await mutation(document, { via })(input(content, job.file));
      setJobs((all) => all.filter((j) => j.key !== job.key));
      latest.current(done);
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

/** The progress of uploads, and the files that were refused. */
export const UploadState = ({ of }) => html`<div class="import-state" role="status">
    ${of.jobs.filter((j) => !j.wrong).map((j) => html`<div class="progress" key=${j.key} data-test="photo-progress">
      <progress max="100" value=${j.part < 1 ? Math.floor(j.part * 100) : undefined}
        aria-label=${'Upload of ' + j.file.name}></progress>
      <p class="progress-text"><span>Sending <bdi class="strong">${j.file.name}</bdi> <span
        class="muted">${bytes(j.file.size)}</span></span></p></div>`)}</div>
    ${of.jobs.some((j) => j.wrong) && html`<${Alert}><div data-test="photo-problems">
      <ul class="problems">${of.jobs.filter((j) => j.wrong).map((j) => html`<li key=${j.key}><bdi
        class="strong">${j.file.name}</bdi> ${j.wrong}</li>`)}</ul>
      <${Button} kind="small" act=${of.forget}>Dismiss<//></div><//>`}`;

/** A box that takes images which are dropped on it or chosen. */
export function ImageDrop({ take }) {
  const own = useId();
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
      <p class="muted" id=${own + '-hint'}>JPEG, PNG, WebP or GIF of up to 20 MiB each. Drop them here,
        or <label for=${own} class="linked">choose files</label>. Camera data, such as the location,
        is removed.</p></div>
    <input type="file" id=${own} class="visually-hidden" multiple accept=${types.join(',')}
      aria-label="Choose images" aria-describedby=${own + '-hint'} onChange=${chosen} data-test="photo-file" />
  </div>`;
}
