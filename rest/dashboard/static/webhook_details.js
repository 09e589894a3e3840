import { html } from './lib.js';
import { Badge, Card, Copyable, Facts, Time } from './ui.js';
import { Address, plural, ownerOf, errorText, waitingCount } from './webhook_state.js';
import { conditionText } from './webhook_rows.js';

export function Details({ of: e }) {
  const { queue: q } = e;
  return html`<${Card} title="Endpoint" name="endpoint-details">
    <${Facts} rows=${[
      ['Address', html`<${Address} url=${e.url} />`],
      ['Description', e.description && html`<span class="verbatim">${e.description}</span>`],
      ['Owner', html`<bdi>${ownerOf(e)}</bdi>`],
      ['Last success', e.lastSuccessAt ? html`<${Time} at=${e.lastSuccessAt} how="ago" />` : 'Never'],
      ['Last error', e.lastError && html`<span class="verbatim">${errorText(e.lastError)}</span>`],
      ['Circuit', e.status === 'ACTIVE' && html`<${Circuit} of=${e.circuit} />`],
      ['Waiting', html`${waitingCount(q.waiting)}${
        q.oldestAt && html`, the oldest since <${Time} at=${q.oldestAt} />`}`],
      ['Rate', e.rateLimit && html`At most ${plural(e.rateLimit, 'attempt')} per second`],
      ['Messages', e.payload === 'THIN' && 'Thin: only the id and version of the resource'],
      ['Selected fields', e.selection && html`<code class="verbatim">${e.selection}</code>`],
      ['Custom headers', e.headers?.length !== 0 && html`<${HeaderNames} of=${e.headers} />`],
      ['Version', e.apiVersion],
      ['Created', html`<${Time} at=${e.createdAt} />`], ['Changed', html`<${Time} at=${e.updatedAt} />`],
      ['ID', html`<${Copyable} text=${e.id} test="endpoint-id" />`],
    ]} />
    <h3>${e.events.length === 1 ? 'Event' : e.events.length + ' events'}</h3>
    <p class="tags" data-test="endpoint-events">${e.events.map((n) => html`<code class="tag" key=${n}>${n}</code>`)}</p>
    ${e.filters.length > 0 && html`<h3>
        ${e.filters.length === 1 ? 'Condition' : 'Conditions (all must match)'}</h3>
      <ul class="conditions" data-test="endpoint-filters">${e.filters.map((f, i) => html`<li key=${i}>
        <code>${f.field}</code> <span class="verbatim">${conditionText(f)}</span></li>`)}</ul>`}
  <//>`;
}

/** Header names, with the end of each value if it may be shown. */
function HeaderNames({ of }) {
  return of ? of.map((h) => html`<span class="block" key=${h.name}><code>${h.name}</code>${
      h.valueHint && html` <span class="muted">ends in </span><code>${h.valueHint}</code>`}</span>`)
    : 'The values can no longer be decrypted. Edit the endpoint and enter them again.';
}

const circuits = {
  CLOSED: ['ACTIVE', 'Closed', ''], HALF_OPEN: ['FAILING', 'Half open', 'One delivery is being tried.'],
  OPEN: ['FAILED', 'Open', ''],
};

/** Whether new deliveries are tried, and when the next attempt is. */
function Circuit({ of: c }) {
  const [look, name, sentence] = circuits[c.state];
  return html`<span data-test="circuit"><${Badge} value=${look} text=${name} />
    <span class="block">
      ${c.failures > 0 && plural(c.failures, 'delivery', 'deliveries') + ' failed since the last success. '}${sentence}
      ${c.state === 'OPEN' &&
        html`New deliveries wait. The next attempt is <${Time} at=${c.nextAttemptAt} how="second" />.`}</span></span>`;
}
