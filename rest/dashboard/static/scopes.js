// Scopes, from the server's catalog.
import { html, useState } from './lib.js';
import { useQuery } from './context.js';
import { Pending, Button } from './ui.js';
import { useFieldError } from './form.js';

const catalog = 'query Scopes { scopes { name resource access title sentence personal money } me { scopes } }';

/** The catalog, and the scopes that the person has. */
export function useScopes() {
  const query = useQuery(catalog);
  return { ...query, scopes: query.data?.scopes ?? [], mine: query.data?.me.scopes ?? [] };
}

/** What a scope gives beyond its resource: money or personal data. */
function Marks({ scope }) {
  return html`${scope?.money && html` <span class="badge red personal">Money</span>`}
    ${scope?.personal && html` <span class="badge amber personal">Personal data</span>`}`;
}

export function ScopeSentences({ names, scopes }) {
  const known = new Map(scopes.map((s) => [s.name, s]));
  return html`<ul class="sentences">${names.map((name) => {
    const s = known.get(name);
    return html`<li key=${name}>${s ? s.sentence : name}<${Marks} scope=${s} /></li>`;
  })}</ul>`;
}

const accesses = [['', 'None'], ['read', 'Read'], ['write', 'Write']];

/** The catalog by resource: [{ resource, read, write }], in its order. */
function byResource(scopes) {
  const rows = new Map();
  for (const s of scopes) {
    rows.set(s.resource, { resource: s.resource, ...rows.get(s.resource), [s.access]: s });
  }
  return [...rows.values()];
}

/** A row for each resource: none, read, or write, which includes read. People can only give scopes that they have. */
export function ScopeChoice({ chosen = [], catalog: q }) {
  const wrong = useFieldError('scopes');
  const [picked, setPicked] = useState(new Set(chosen));
  if (!q.data) {
    return html`<${Pending} of=${q} rows=${4} />`;
  }
  const rows = byResource(q.scopes);
  const level = (row) => (picked.has(row.write?.name) ? 'write' : picked.has(row.read?.name) ? 'read' : '');
  const choose = (row, access) => {
    const next = new Set(picked);
    for (const s of [row.read, row.write]) {
      next.delete(s?.name);
    }
    setPicked(access ? next.add(row[access].name) : next);
  };
  const highest = (row, access) => [row[access], row.read].find((s) => q.mine.includes(s?.name));
  const preset = (access) => setPicked(new Set(rows.map((row) => highest(row, access)?.name).filter(Boolean)));
  return html`<fieldset class="scopes" name="scopes" aria-describedby=${wrong ? 'scopes-error' : undefined}
    data-test="scopes">
    <legend>Scopes</legend>
    <p class="row-actions start">
      <${Button} kind="small" act=${() => preset('read')} test="scopes-read">Read only<//>
      <${Button} kind="small" act=${() => preset('write')} test="scopes-all">Full access<//>
      <${Button} kind="small" act=${() => setPicked(new Set())} test="scopes-none">None<//></p>
    ${[...picked].map((name) => html`<input type="hidden" name="scopes" value=${name} key=${name} />`)}
    ${rows.map((row) => html`<${ScopeRow} key=${row.resource} row=${row} level=${level(row)} mine=${q.mine}
      choose=${(access) => choose(row, access)} />`)}
    ${wrong && html`<p class="wrong" id="scopes-error" data-test="error-scopes">${wrong.join(' ')}</p>`}
  </fieldset>`;
}

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
      <${Marks} scope=${given} />${lacks ? ' Your role does not have this scope.' : ''}</p>
  </div>`;
}
