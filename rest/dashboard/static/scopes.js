// Scopes, as the server's catalogue describes them.
import { html, useState } from './lib.js';
import { useQuery } from './context.js';
import { Trouble, Waiting } from './ui.js';
import { useWrong } from './form.js';

const catalogue = 'query Scopes { scopes { name resource access title sentence personal } me { scopes } }';

/** The catalogue, and which of its scopes the person has. */
export function useScopes() {
  const query = useQuery(catalogue);
  return { ...query, scopes: query.data?.scopes ?? [], mine: query.data?.me.scopes ?? [] };
}

function Personal() {
  return html`<span class="badge amber personal">Personal data</span>`;
}

/** Granted scopes as sentences. */
export function ScopeSentences({ names, scopes }) {
  const known = new Map(scopes.map((s) => [s.name, s]));
  return html`<ul class="sentences">${names.map((name) => {
    const s = known.get(name);
    return html`<li key=${name}>${s ? s.sentence : name}${s?.personal && html` <${Personal} />`}</li>`;
  })}</ul>`;
}

const accesses = [['', 'None'], ['read', 'Read'], ['write', 'Write']];

/** The catalogue by resource: [{ resource, read, write }], in its order. */
function byResource(scopes) {
  const rows = new Map();
  for (const s of scopes) {
    rows.set(s.resource, { resource: s.resource, ...rows.get(s.resource), [s.access]: s });
  }
  return [...rows.values()];
}

/**
 * A row for every resource of the catalogue: none, read or write, which includes reading.
 * Nobody can give what they lack.
 */
export function ScopeChoice({ chosen = [], catalogue: q }) {
  const wrong = useWrong('scopes');
  const [picked, pick] = useState(new Set(chosen));
  if (q.failure) {
    return html`<${Trouble} failure=${q.failure} reload=${q.reload} />`;
  }
  if (!q.data) {
    return html`<${Waiting} rows=${4} />`;
  }
  const rows = byResource(q.scopes);
  const level = (row) => (picked.has(row.write?.name) ? 'write' : picked.has(row.read?.name) ? 'read' : '');
  const choose = (row, access) => {
    const next = new Set(picked);
    for (const s of [row.read, row.write]) {
      next.delete(s?.name);
    }
    pick(access ? next.add(row[access].name) : next);
  };
  const most = (row, access) => [row[access], row.read].find((s) => q.mine.includes(s?.name));
  const preset = (access) => pick(new Set(rows.map((row) => most(row, access)?.name).filter(Boolean)));
  return html`<fieldset class="scopes" name="scopes" aria-describedby=${wrong ? 'scopes-error' : undefined}
    data-test="scopes">
    <legend>Scopes</legend>
    <p class="row-actions start">
      <button type="button" class="button small" onClick=${() => preset('read')} data-test="scopes-read">
        Read everything</button>
      <button type="button" class="button small" onClick=${() => preset('write')} data-test="scopes-all">
        Everything</button>
      <button type="button" class="button small" onClick=${() => pick(new Set())} data-test="scopes-none">
        Nothing</button></p>
    ${[...picked].map((name) => html`<input type="hidden" name="scopes" value=${name} key=${name} />`)}
    ${rows.map((row) => html`<${ScopeRow} key=${row.resource} row=${row} level=${level(row)} mine=${q.mine}
      choose=${(access) => choose(row, access)} />`)}
    ${wrong && html`<p class="wrong" id="scopes-error" data-test="error-scopes">${wrong.join(' ')}</p>`}
  </fieldset>`;
}

/** What may be done with one resource. */
function ScopeRow({ row, level, mine, choose }) {
  const own = 'scope-' + row.resource;
  const given = row[level];
  const title = row.resource.replaceAll('_', ' ');
  const lacks = [row.read, row.write].some((s) => s && !mine.includes(s.name));
  return html`<div class="scope-row" role="radiogroup" aria-labelledby=${own} aria-describedby=${own + '-text'}>
    <span class="strong capital" id=${own}>${title}</span>
    <span class="levels">${accesses.filter(([access]) => !access || row[access]).map(([access, text]) => {
      const name = row[access]?.name ?? row.resource + '.none';
      return html`<span class="level" key=${access}><input type="radio" name=${'access.' + row.resource}
        id=${'scope-' + name} value=${name} checked=${level === access}
        disabled=${Boolean(access) && !mine.includes(name)} onChange=${() => choose(access)} />
        <label for=${'scope-' + name}>${text}</label></span>`;
    })}</span>
    <p class="hint" id=${own + '-text'}>${given ? given.sentence : 'No access.'}
      ${given?.personal && html` <${Personal} />`}${lacks ? ' Your role does not have this scope.' : ''}</p>
  </div>`;
}
