// A theme arrives as a zip: chosen or dropped, checked, sent, and judged by the server.
import { html, useEffect, useLayoutEffect, useRef, useState } from './lib.js';
import { Failure, Refused, mutation } from './api.js';
import { Alert } from './ui.js';
import { Icon } from './icons.js';
import { Stopped, base64, watched } from './upload.js';
import { bytes } from './export_state.js';
import { errors } from './theme_state.js';

const document_ = `mutation ThemeImport($input: ThemeImportInput!) {
  themeImport(input: $input) { theme { id name status } ignoredFiles ${errors} } }`;

const most = 10 << 20; // bytes of an archive, as the server has it

/** What is wrong with a file before anybody looks into it; "" for nothing. */
function fault(file) {
  if (!/\.zip$/i.test(file.name)) {
    return 'Not a zip archive: the name does not end in .zip.';
  }
  if (file.size === 0) {
    return 'The file is empty.';
  }
  return file.size > most ? 'The archive has ' + bytes(file.size) + '. The maximum is 10 MiB.' : '';
}

/** The problems of an archive, each with the file that it is in, if it is in one. */
export function problemsOf(list) {
  return list.map((e) => {
    const place = (e.path ?? []).filter((p, i) => !(i === 0 && p === 'input'));
    if (place.length > 1 && place[0] === 'archive') {
      return { file: place.slice(1).join('/'), text: e.message };
    }
    const found = /^(\S*[./]\S*|[^:]*\/[^:]*): (.+)$/s.exec(e.message); // a path has a dot or a slash
    return found ? { file: found[1], text: found[2] } : { file: '', text: e.message };
  });
}

const rest = { step: 'rest' };

/**
 * The place for archives. Its state is kept by whoever shows it, so that a
 * button elsewhere can begin too.
 * @param {(id: string) => void} begun gets the id of the theme that was made
 */
export function useImport(begun) {
  const [state, set] = useState(rest);
  const stop = useRef(null);
  const picker = useRef(null);
  useEffect(() => () => stop.current?.abort(), []);
  const take = async (files) => {
    if (stop.current) {
      return; // one at a time: this one is on its way
    }
    const [file, second] = files;
    const wrong = second ? 'Choose one archive at a time.' : file && fault(file);
    if (!file || wrong) {
      const name = second ? files.length + ' files' : file?.name ?? '';
      set({ step: 'refused', name, problems: [{ file: '', text: wrong || 'Not a file. Choose a zip archive.' }] });
      return;
    }
    const { signal } = (stop.current = new AbortController());
    const show = (step) => (part) => signal.aborted || set({ step, name: file.name, size: file.size, part });
    try {
      show('reading')(0);
      const archive = await base64(file, { progress: show('reading'), signal });
      show('sending')(0);
      const via = watched({ progress: show('sending'), signal });
      const { theme, ignoredFiles } = await mutation(document_, { via })({ input: { archive } });
      set({ step: 'done', name: theme.name, id: theme.id, ignored: ignoredFiles });
      begun(theme.id);
    } catch (e) {
      if (signal.aborted || e instanceof Stopped) {
        set(rest);
      } else {
        const problems = e instanceof Refused ? problemsOf(e.errors)
          : [{ file: '', text: e instanceof Failure ? e.message : 'The file could not be read.' }];
        set({ step: 'refused', name: file.name, problems });
      }
    } finally {
      stop.current = null;
    }
  };
  const choose = () => picker.current?.click();
  return { state, take, picker, choose, stop: () => stop.current?.abort(), forget: () => set(rest) };
}

/** Whether something that is dragged is a file, not a link or a text. */
const carriesFile = (e) => [...(e.dataTransfer?.types ?? [])].includes('Files');

/** Takes files that are dropped anywhere on the page; what lands beside the place must not replace the page. */
function useDrop(take) {
  const [over, set] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useLayoutEffect(() => { // at once: what is seen can be dropped on
    const stop = new AbortController();
    const on = (name, act) => addEventListener(name, (e) => {
      if (carriesFile(e)) {
        e.preventDefault();
        act(e);
      }
    }, { signal: stop.signal });
    on('dragenter', () => set(true));
    on('dragover', () => set(true));
    on('dragleave', (e) => e.relatedTarget || set(false));
    on('drop', (e) => {
      set(false);
      latest.current([...e.dataTransfer.files]);
    });
    return () => stop.abort();
  }, []);
  return over;
}

/** The place itself, with what becomes of the file that it was given; themes are those of the store. */
export function ImportPlace({ of: { state, take, picker, stop, forget }, themes }) {
  const over = useDrop(take);
  const chosen = (e) => {
    take([...e.target.files]);
    e.target.value = ''; // the same file may be chosen again, corrected
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
      <input type="file" id="import-file" class="unseen" ref=${picker} accept=".zip,application/zip"
        aria-label="Choose a theme archive" aria-describedby="import-hint" onChange=${chosen}
        data-test="import-file" />
    </div>
    <div class="import-state" role="status">
      ${onTheWay && html`<${OnTheWay} of=${state} stop=${stop} />`}
      ${ready && html`<p class="import-done" data-test="import-done"><${Icon} name="check" size="16" />
        <span><strong><bdi>${state.name}</bdi></strong> imported. Check its preview, then activate it.
          ${state.ignored.length > 0 && html`<span class="muted">These files are not part of a theme and were left
            out: ${state.ignored.join(', ')}.</span>`}</span></p>`}
    </div>
    ${state.step === 'refused' && html`<${Alert}><div data-test="import-problems">
      <p class="strong"><bdi>${state.name || 'This'}</bdi> was not imported.</p>
      <ul class="problems">${state.problems.map((p, i) => html`<li key=${i}>${p.file && html`<code>${p.file}</code> `}
        <span class="verbatim">${p.text}</span></li>`)}</ul>
      <button type="button" class="button small" onClick=${forget} data-test="import-forget">Dismiss</button>
      </div><//>`}
  </section>`;
}

const steps = { reading: 'Reading', sending: 'Sending' };

function OnTheWay({ of: s, stop }) {
  const all = s.step === 'sending' && s.part >= 1;
  const percent = Math.floor(s.part * 100);
  return html`<div class="progress" data-test="import-progress">
    <progress max="100" value=${all ? undefined : percent} aria-label=${'Import of ' + s.name}></progress>
    <p class="progress-text">
      <span>${all ? 'The server checks ' : steps[s.step] + ' '}<bdi class="strong">${s.name}</bdi> <span
        class="muted">${bytes(s.size)}</span></span>
      <button type="button" class="button small" onClick=${stop} data-test="import-stop">Stop</button></p>
  </div>`;
}
