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

/**
 * Boxes for every scope of the catalogue. Writing includes reading the same
 * thing: its box shows so. Nobody can give what they lack.
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
  const implied = (s) => s.access === 'read' && picked.has(s.resource + '.write');
  const toggle = (name, on) => {
    const next = new Set(picked);
    next[on ? 'add' : 'delete'](name);
    pick(next);
  };
  return html`<fieldset class="scopes" aria-describedby=${wrong ? 'scopes-error' : undefined} data-test="scopes">
    <legend>Scopes</legend>
    ${q.scopes.map((s) => {
      const own = 'scope-' + s.name;
      const lacking = !q.mine.includes(s.name);
      return html`<div class="scope" key=${s.name}>
        <input type="checkbox" id=${own} name="scopes" value=${s.name} checked=${picked.has(s.name) || implied(s)}
          disabled=${lacking || implied(s)} aria-describedby=${own + '-text'}
          onChange=${(e) => toggle(s.name, e.target.checked)} />
        ${picked.has(s.name) && (lacking || implied(s)) && html`<input type="hidden" name="scopes" value=${s.name} />`}
        <div><label for=${own}>${s.title}</label> <code class="scope-name">${s.name}</code>
          ${s.personal && html` <${Personal} />`}
          <p class="hint" id=${own + '-text'}>${s.sentence}${implied(s) ? ' Included in writing.' : ''}
            ${lacking ? ' Your role lacks this scope.' : ''}</p></div>
      </div>`;
    })}
    ${wrong && html`<p class="wrong" id="scopes-error" data-test="error-scopes">${wrong.join(' ')}</p>`}
  </fieldset>`;
}
