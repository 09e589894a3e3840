// Import of a theme from a zip archive.
import { html, useEffect, useLayoutEffect, useRef, useState } from './lib.js';
import { Failure, Refused, mutation } from './api.js';
import { Alert, Button } from './ui.js';
import { Icon } from './icons.js';
import { UploadAborted, base64, carriesFile, sendWithProgress } from './upload.js';
import { bytes } from './export_state.js';
import { errors } from './form.js';

const importMutation = `mutation ThemeImport($input: ThemeImportInput!) {
  themeImport(input: $input) { theme { id name status } ignoredFiles ${errors} } }`;

const maxBytes = 10 << 20; // the server's limit of an archive, in bytes

/** Returns the error of a file before upload; "" if there is none. */
function fileError(file) {
  if (!/\.zip$/i.test(file.name)) {
    return 'Not a zip archive: the name does not end in .zip.';
  }
  if (file.size === 0) {
    return 'The file is empty.';
  }
  return file.size > maxBytes ? 'The archive is ' + bytes(file.size) + '. The maximum is 10 MiB.' : '';
}

/** The problems of an archive, each with its file if it concerns one. */
function problemsOf(list) {
  return list.map((e) => {
    const place = (e.path ?? []).filter((p, i) => !(i === 0 && p === 'input'));
    if (place.length > 1 && place[0] === 'archive') {
      return { file: place.slice(1).join('/'), text: e.message };
    }
    const found = /^(\S*[./]\S*|[^:]*\/[^:]*): (.+)$/s.exec(e.message); // a path contains a dot or a slash
    return found ? { file: found[1], text: found[2] } : { file: '', text: e.message };
  });
}

const idle = { step: 'rest' };

/**
 * The state of an import. The page keeps it, so that a button elsewhere can start one too.
 * @param {(id: string) => void} onImport gets the id of the new theme
 */
export function useImport(onImport) {
  const [state, setState] = useState(idle);
  const stop = useRef(null);
  const picker = useRef(null);
  useEffect(() => () => stop.current?.abort(), []);
  const take = async (files) => {
    if (stop.current) {
      return; // one at a time
    }
    const [file, second] = files;
    const wrong = second ? 'Choose one archive at a time.' : file && fileError(file);
    if (!file || wrong) {
      const name = second ? files.length + ' files' : file?.name ?? '';
      setState({ step: 'refused', name, problems: [{ file: '', text: wrong || 'Not a file. Choose a zip archive.' }] });
      return;
    }
    const { signal } = (stop.current = new AbortController());
    const show = (step) => (part) => signal.aborted || setState({ step, name: file.name, size: file.size, part });
    try {
      show('reading')(0);
      const archive = await base64(file, { progress: show('reading'), signal });
      show('sending')(0);
      const via = sendWithProgress({ progress: show('sending'), signal });
      const { theme, ignoredFiles } = await mutation(importMutation, { via })({ input: { archive } });
      setState({ step: 'done', name: theme.name, id: theme.id, ignored: ignoredFiles });
      onImport(theme.id);
    } catch (e) {
      if (signal.aborted || e instanceof UploadAborted) {
        setState(idle);
      } else {
        const problems = e instanceof Refused ? problemsOf(e.errors)
          : [{ file: '', text: e instanceof Failure ? e.message : 'The file could not be read.' }];
        setState({ step: 'refused', name: file.name, problems });
      }
    } finally {
      stop.current = null;
    }
  };
  const choose = () => picker.current?.click();
  return { state, take, picker, choose, stop: () => stop.current?.abort(), forget: () => setState(idle) };
}

/** Accepts files dropped anywhere on the page. Otherwise the browser would replace the page with the file. */
function useDrop(take) {
  const [over, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useLayoutEffect(() => { // before the first paint
    const stop = new AbortController();
    const on = (name, act) => addEventListener(name, (e) => {
      if (carriesFile(e)) {
        e.preventDefault();
        act(e);
      }
    }, { signal: stop.signal });
    on('dragenter', () => setOver(true));
    on('dragover', () => setOver(true));
    on('dragleave', (e) => e.relatedTarget || setOver(false));
    on('drop', (e) => {
      setOver(false);
      latest.current([...e.dataTransfer.files]);
    });
    return () => stop.abort();
  }, []);
  return over;
}

/** The drop area with the progress and the result. themes are the store's themes. */
export function ImportArea({ of: { state, take, picker, stop, forget }, themes }) {
  const over = useDrop(take);
  const chosen = (e) => {
    take([...e.target.files]);
    e.target.value = ''; // allow the same file again after it was corrected
  };
  const onTheWay = state.step === 'reading' || state.step === 'sending';
  const ready = state.step === 'done' && ['INACTIVE', 'ACTIVE'].includes(themes.find((t) => t.id === state.id)?.status);
  return html`<section class="card" aria-label="Import a theme" data-test="theme-import">
    <div class=${over ? 'drop over' : 'drop'} aria-busy=${onTheWay ? 'true' : undefined}>
      <span class="drop-icon"><${Icon} name="upload" /></span>
      <div class="grow">
        <p class="strong">${over ? 'Drop it to import it' : 'Import a theme'}</p>
        <p class="muted" id="import-hint">A zip archive with theme.json, of up to 10 MiB. Drop it here,
          or <label for="import-file" class="linked">choose a file</label>.</p>
      </div>
      <input type="file" id="import-file" class="visually-hidden" ref=${picker} accept=".zip,application/zip"
        aria-label="Choose a theme archive" aria-describedby="import-hint" onChange=${chosen}
        data-test="import-file" />
    </div>
    <div class="import-state" role="status">
      ${onTheWay && html`<${ImportProgress} of=${state} stop=${stop} />`}
      ${ready && html`<p class="import-done" data-test="import-done"><${Icon} name="check" size="16" />
        <span><strong><bdi>${state.name}</bdi></strong> imported. Check its preview, then activate it.
          ${state.ignored.length > 0 && html`<span class="muted">These files are not part of a theme and were left
            out: ${state.ignored.join(', ')}.</span>`}</span></p>`}
    </div>
    ${state.step === 'refused' && html`<${Alert}><div data-test="import-problems">
      <p class="strong"><bdi>${state.name || 'This'}</bdi> was not imported.</p>
      <ul class="problems">${state.problems.map((p, i) => html`<li key=${i}>${p.file && html`<code>${p.file}</code> `}
        <span class="verbatim">${p.text}</span></li>`)}</ul>
      <${Button} kind="small" act=${forget} test="import-forget">Dismiss<//>
      </div><//>`}
  </section>`;
}

const steps = { reading: 'Reading', sending: 'Sending' };

function ImportProgress({ of: s, stop }) {
  const all = s.step === 'sending' && s.part >= 1;
  const percent = Math.floor(s.part * 100);
  return html`<div class="progress" data-test="import-progress">
    <progress max="100" value=${all ? undefined : percent} aria-label=${'Import of ' + s.name}></progress>
    <p class="progress-text">
      <span>${all ? 'Checking ' : steps[s.step] + ' '}<bdi class="strong">${s.name}</bdi> <span
        class="muted">${bytes(s.size)}</span></span>
      <${Button} kind="small" act=${stop} test="import-stop">Stop<//></p>
  </div>`;
}
