// An import: its progress, and the rows that failed.
import { html, useState } from '../lib.js';
import { useQuery, go } from '../context.js';
import { Page, Card, Time, Alert, Facts, Copyable, MissingPage, Button, Empty, safeURL } from '../ui.js';
import { ConnectionLost, usePoll } from '../live.js';
import { ActionButton, ConfirmMutation, errors, useMutation } from '../form.js';
import { List } from '../list.js';
import { bytes, requester } from '../export_state.js';
import {
  Progress, Status, busy, importFields, importKinds, importPath, nameOf, resultOf, startImport,
} from '../import_state.js';
import { to } from '../route.js';

const read = `query Import($id: ID!) { import(id: $id) { ${importFields} failedRowsUrl
  findings(first: 100) { nodes { line warning record detail } pageInfo { hasNextPage endCursor } } } }`;
const cancel = `mutation ImportCancel($id: ID!) { importCancel(id: $id) { import { id } ${errors} } }`;

const back = { href: to('/imports'), text: 'Imports' };

const columns = [
  { name: 'line', head: 'Line', cell: (f) => html`<span class="figure">${f.line.toLocaleString()}</span>` },
  { name: 'record', head: 'Row', main: true, cell: (f) => html`<bdi>${f.record}</bdi>` },
  { name: 'kind', head: 'Result', cell: (f) => (f.warning ? 'Imported, with a difference' : 'Failed') },
  { name: 'detail', head: 'Reason', cell: (f) => html`<span class="verbatim">${f.detail}</span>` },
];

const rowsOf = (d) => ({
  pageInfo: { hasNextPage: false }, nodes: d.import.findings.nodes.map((f, id) => ({ ...f, id })),
});

export function Import({ id }) {
  const query = useQuery(read, { id });
  const [dialog, setDialog] = useState(false);
  const run = useMutation(startImport);
  const i = query.data?.import;
  usePoll(query, Boolean(i && busy(i)));
  if (!i) {
    return html`<${MissingPage} query=${query} name="Import" icon="exports" back=${back} rows=${6} />`;
  }
  const keep = async () => {
    const done = await run({ input: { kind: i.kind, source: i.id } });
    go(to(importPath(done.import.id)));
  };
  const link = safeURL(i.failedRowsUrl ?? '');
  const actions = html`
    ${i.dryRun && i.status === 'COMPLETED' && html`<${ActionButton} kind="primary" run=${keep} done="Import started."
      data-test="import-keep">Import this file<//>`}
    ${link && html`<a class="button" href=${link} download data-test="failed-rows">Download failed rows</a>`}
    ${busy(i) && html`<${Button} kind="danger-quiet" act=${() => setDialog(true)} test="import-cancel">Cancel<//>`}`;
  return html`<${Page} title=${nameOf(i)} back=${back} badges=${html`<${Status} of=${i} />`} actions=${actions}>
    <${ConnectionLost} query=${query} />
    <${Standing} of=${i} />
    <${Card} title="Job" name="import-job"><${Facts} rows=${[
      ['Kind', importKinds[i.kind]],
      ['Rows', html`<span class="figure" data-test="import-result">${resultOf(i)}</span>`],
      ['Size', i.sizeBytes > 0 && bytes(i.sizeBytes)],
      ['Requested by', html`<bdi>${requester(i)}</bdi>`],
      ['Requested', html`<${Time} at=${i.createdAt} how="second" />`],
      ['Ended', i.completedAt && html`<${Time} at=${i.completedAt} how="second" />`],
      ['ID', html`<${Copyable} text=${i.id} test="import-id" />`],
    ]} /><//>
    <${Card} title="Rows to check" name="import-findings">
      <${List} query=${query} pick=${rowsOf} caption="Rows to check" columns=${columns} address=${() => ''}
        empty=${html`<${Empty} icon="check" title=${busy(i) ? 'No failed rows so far' : 'No row failed'} />`} />
      ${i.findings.pageInfo.hasNextPage && html`<p class="muted">
        Only the first 100 are shown. ${link ? 'Download the failed rows to see all of them.' : ''}</p>`}
    <//>
    ${dialog && html`<${ConfirmMutation} title="Cancel the import?" name="import-cancel" submit="Cancel import"
      document=${cancel} variables=${{ id: i.id }} done="Import cancelled." changed=${query.reload}
      onClose=${() => setDialog(false)}><p>What it has imported stays.</p><//>`}
  <//>`;
}

function Standing({ of: i }) {
  if (busy(i)) {
    return html`<${Card} name="import-progress"><${Progress} of=${i} />
      <p class="muted after-progress">You can leave this page. The import continues in the background.</p><//>`;
  }
  if (i.status === 'FAILED') {
    return html`<${Alert}><p class="verbatim" data-test="standing">${i.error?.message ?? 'The import failed.'}</p><//>`;
  }
  return i.dryRun && i.status === 'COMPLETED' && html`<${Alert} tone="info"><span data-test="standing">
    This was a trial. Nothing was saved.</span><//>`;
}
