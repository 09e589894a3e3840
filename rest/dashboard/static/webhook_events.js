// The choice of an endpoint's events, from the server's catalog.
import { html, useState } from './lib.js';
import { useQuery } from './context.js';
import { Pending, Button, humanize } from './ui.js';
import { useFieldError } from './form.js';

const catalog = 'query EventTypes { webhookEventTypes { name scope trigger } me { scopes } }';

/** The catalog by the first word of the names, and the scopes that the person has. */
export function useEventTypes() {
  const query = useQuery(catalog);
  const groups = new Map();
  for (const t of query.data?.webhookEventTypes ?? []) {
    const group = t.name.split('.')[0];
    groups.set(group, [...(groups.get(group) ?? []), t]);
  }
  return { ...query, groups: [...groups], mine: query.data?.me.scopes ?? [] };
}

/** Checkboxes for all events. People can only add events that they may read. */
export function EventChoice({ chosen = [], catalog: q }) {
  const wrong = useFieldError('events');
  const [picked, setPicked] = useState(new Set(chosen));
  if (!q.data) {
    return html`<${Pending} of=${q} rows=${6} />`;
  }
  const set = (names, on) => {
    const next = new Set(picked);
    names.forEach((n) => next[on ? 'add' : 'delete'](n));
    setPicked(next);
  };
  return html`<fieldset class="scopes" aria-describedby=${wrong ? 'events-error' : undefined} data-test="events">
    <legend>Events</legend>
    ${wrong && html`<p class="wrong" id="events-error" data-test="error-events">${wrong.join(' ')}</p>`}
    ${q.groups.map(([resource, types]) => html`<${EventGroup} key=${resource} resource=${resource} types=${types}
      picked=${picked} set=${set} mine=${q.mine} />`)}
  </fieldset>`;
}

function EventGroup({ resource, types, picked, set, mine }) {
  const open = types.filter((t) => mine.includes(t.scope)).map((t) => t.name);
  const all = open.every((n) => picked.has(n));
  return html`<fieldset class="event-group"><legend>${humanize(resource)}</legend>
    ${open.length > 1 && html`<${Button} kind="small" act=${() => set(open, !all)}
      label=${(all ? 'Select no events of ' : 'Select all events of ') + humanize(resource)}
      test=${'all-' + resource}>${all ? 'None' : 'All'}<//>`}
    ${types.map((t) => {
      const own = 'event-' + t.name;
      const lacking = !mine.includes(t.scope);
      return html`<div class="scope" key=${t.name}>
        <input type="checkbox" id=${own} name="events" value=${t.name} checked=${picked.has(t.name)}
          disabled=${lacking} aria-describedby=${own + '-text'}
          onChange=${(e) => set([t.name], e.target.checked)} />
        ${picked.has(t.name) && lacking && html`<input type="hidden" name="events" value=${t.name} />`}
        <div><label for=${own}><code>${t.name}</code></label>
          <p class="hint" id=${own + '-text'}>
            ${t.trigger} Needs <code>${t.scope}</code>${lacking ? ', which your role does not have' : ''}.</p></div>
      </div>`;
    })}
  </fieldset>`;
}
