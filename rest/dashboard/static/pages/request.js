// One request of a key or an app.
import { html } from '../lib.js';
import { useQuery } from '../context.js';
import { Page, Card, Copyable, Empty, Facts, Outside, Time, Trouble, Waiting } from '../ui.js';
import { Status, Subject, took } from '../request_state.js';
import { to } from '../route.js';

const read = `query Request($id: ID!) { requestLog(first: 1, filter: { requestId: $id }) {
  nodes { id createdAt method path route status code duration omitted storeId key { id name } app { id name } } } }`;

export function Request({ id }) {
  const query = useQuery(read, { id });
  const back = { href: to('/requests'), text: 'Requests' };
  if (query.failure) {
    return html`<${Page} title="Request" back=${back}>
      <${Trouble} failure=${query.failure} reload=${query.reload} /><//>`;
  }
  const r = query.data?.requestLog.nodes[0];
  if (!r) {
    return html`<${Page} title=${query.data ? 'Request not found' : 'Request'} back=${back}>${query.data
      ? html`<${Empty} icon="requests" title="No such request is kept.">
          Requests are kept for 72 hours, those of busy minutes in part, and never those without a valid key or
          token.<//>`
      : html`<${Card}><${Waiting} rows=${8} /><//>`}<//>`;
  }
  return html`<${Page} title=${r.method + ' ' + r.path} back=${back}>
    <${Card} title="Request" name="request"><${Facts} rows=${[
      ['Request id', html`<${Copyable} text=${r.id} test="request-id" />`],
      ['Came', html`<${Time} at=${r.createdAt} how="second" />`],
      ['Status', html`<${Status} of=${r} />`],
      ['What the code means', r.code && html`<${Outside}
        href=${location.origin + '/docs/problems#' + r.code.replaceAll('_', '-')}>Problems<//>`],
      ['Route', html`<code>${r.route}</code>`],
      ['Took', took(r.duration)],
      ['By', html`<${Subject} of=${r} />`],
      ['In the store', r.storeId && html`<code class="id">${r.storeId}</code>`],
      ['Left out after it', r.omitted > 0 && r.omitted.toLocaleString() + ' more of the same minute'],
    ]} /><//>
  <//>`;
}
