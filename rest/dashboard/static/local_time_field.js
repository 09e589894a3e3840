// A field for a time of the clock in the store's time zone.
import { html, useState } from './lib.js';
import { Field, Select, text } from './form.js';
import { offsetAt, localInstants, localTime } from './dates.js';

const shown = (at, zone) => (at ? localTime(Date.parse(at), zone) : '');
const same = (a, b) => Math.floor(Date.parse(a) / 1000) === Math.floor(Date.parse(b) / 1000);

/** The field. Of a time that the clock shows twice, when it is set back, either can be chosen. */
export function LocalTimeField({ name, at, zone, ...rest }) {
  const [typed, type] = useState(shown(at, zone));
  const twice = localInstants(typed, zone);
  return html`<div class="stack tight"><${Field} name=${name} type="datetime-local" step="1" value=${shown(at, zone)}
      onInput=${(e) => type(e.target.value)} ...${rest} />
    ${twice.length > 1 && html`<${Select} key=${typed} name=${name + '.which'} label="The clock shows this time twice"
      value=${twice.find((t) => at && same(t, at)) ?? twice[0]} options=${twice.map((t) => [t, offsetAt(t, zone)])} />`}
  </div>`;
}

/** The instant that the field holds, or null. One that nobody changed is what it was before, to the microsecond. */
export function localTimeOf(values, name, zone, before) {
  const typed = text(values, name);
  const instants = typed ? localInstants(typed, zone) : [];
  const chosen = instants.find((t) => t === values.get(name + '.which')) ?? instants[0] ?? null;
  const kept = before && typed === shown(before, zone) && (instants.length < 2 || same(chosen, before));
  return kept ? before : chosen;
}
