// A field for a local time in the store's time zone.
import { html, useState } from './lib.js';
import { Field, Select, text } from './form.js';
import { offsetAt, localInstants, localTime } from './dates.js';

const localText = (at, zone) => (at ? localTime(Date.parse(at), zone) : '');
const same = (a, b) => Math.floor(Date.parse(a) / 1000) === Math.floor(Date.parse(b) / 1000);

/** The field. If clocks are set back over the time, the person chooses which of the two instants is meant. */
export function LocalTimeField({ name, at, zone, ...rest }) {
  const [typed, setTyped] = useState(localText(at, zone));
  const instants = localInstants(typed, zone);
  return html`<div class="stack tight"><${Field} name=${name} type="datetime-local" step="1"
    value=${localText(at, zone)}
      onInput=${(e) => setTyped(e.target.value)} ...${rest} />
    ${instants.length > 1 && html`<${Select} key=${typed} name=${name + '.which'}
      label="The clock shows this time twice"
      value=${instants.find((t) => at && same(t, at)) ?? instants[0]}
      options=${instants.map((t) => [t, offsetAt(t, zone)])} />`}
  </div>`;
}

/** Returns the instant of the field, or null. An unchanged field returns before, to the microsecond. */
export function localTimeOf(values, name, zone, before) {
  const typed = text(values, name);
  const instants = typed ? localInstants(typed, zone) : [];
  const chosen = instants.find((t) => t === values.get(name + '.which')) ?? instants[0] ?? null;
  const unchanged = before && typed === localText(before, zone) && (instants.length < 2 || same(chosen, before));
  return unchanged ? before : chosen;
}
