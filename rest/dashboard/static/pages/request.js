import { html } from '../lib.js';
import { useQuery } from '../context.js';
import { Page, Card, Copyable, Facts, ExternalLink, Time, MissingPage } from '../ui.js';
import { Status, Subject, formatDuration } from '../request_state.js';
import { to } from '../route.js';

const read = `query Request($id: ID!) { requestLog(first: 1, filter: { requestId: $id }) {
  nodes { id createdAt method path route status code duration omitted storeId key { id name } app { id name } } } }`;

export function Request({ id }) {
  const query = useQuery(read, { id });
  const back = { href: to('/requests'), text: 'Requests' };
  const r = query.data?.requestLog.nodes[0];
  if (!r) {
    return html`<${MissingPage} query=${query} name="Request" icon="requests" back=${back}>
      Requests are kept for 72 hours. Busy minutes are sampled. Requests without a valid key or token are
      not kept.<//>`;
  }
  return html`<${Page} title=${r.method + ' ' + r.path} back=${back}>
    <${Card} title="Request" name="request"><${Facts} rows=${[
      ['Request ID', html`<${Copyable} text=${r.id} test="request-id" />`],
      ['Received', html`<${Time} at=${r.createdAt} how="second" />`],
      ['Status', html`<${Status} of=${r} />`],
      ['Error code', r.code && html`<${ExternalLink}
        href=${location.origin + '/docs/problems#' + r.code.replaceAll('_', '-')}>Problems<//>`],
      ['Route', html`<code>${r.route}</code>`],
      ['Duration', formatDuration(r.duration)],
      ['By', html`<${Subject} of=${r} />`],
      ['Store', r.storeId && html`<code class="id">${r.storeId}</code>`],
      ['Not kept', r.omitted > 0 && r.omitted.toLocaleString() + ' more in the same minute'],
    ]} /><//>
  <//>`;
}
