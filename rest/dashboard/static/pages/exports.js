// The list of exports, which refreshes while one runs.
import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters } from '../context.js';
import { Page, Time, Empty, Button, humanize } from '../ui.js';
import { List, RowLink } from '../list.js';
import { ConnectionLost, useStatusChange, usePoll } from '../live.js';
import { CancelExport, DeleteExport, Download, StartExport } from '../export_actions.js';
import {
  FilterSummary, Progress, Status, busy, bytes, exportFields, exportPath, formatName, kindName, requester, rows,
  titleOf,
} from '../export_state.js';
import { to } from '../route.js';

const list = `query Exports($after: String) { exports(first: 25, after: $after) {
  nodes { ${exportFields} } pageInfo { hasNextPage endCursor } } }`;

const none = [];

function columns(open, reload) {
  return [
    { name: 'export', head: 'Export', main: true,
      cell: (e) => html`<${RowLink} href=${to(exportPath(e.id))} data-test="export">${humanize(e.kind)}<//>
        <span class="muted block">${formatName(e)}</span><span class="muted block"><${FilterSummary}
          of=${e} /></span>` },
    { name: 'status', head: 'Status', cell: (e) => html`<span class="standing"><${Status} of=${e} />
      ${busy(e) && html`<${Progress} of=${e} />`}
      ${e.error && html`<span class="block verbatim short critical">${e.error.message}</span>`}
      ${e.status === 'COMPLETED' && e.expiresAt && html`<span class="block muted">
        Expires <${Time} at=${e.expiresAt} how="ago" /></span>`}</span>` },
    { name: 'file', head: 'File', cell: (e) => e.rowCount != null && html`<span>
      <span class="figure">${rows(e.rowCount)}</span>
      <span class="muted block figure">${bytes(e.fileSizeBytes ?? 0)}</span></span>` },
    { name: 'who', head: 'Requested', cell: (e) => html`<span>
      <span class="block"><bdi>${requester(e)}</bdi></span>
      <span class="muted"><${Time} at=${e.createdAt} how="ago" /></span></span>` },
    { name: 'actions', head: '', end: true, cell: (e) => html`<span class="row-actions">
      ${e.status === 'COMPLETED' && html`<${Download} of=${e} kind="small" onMissing=${reload} />`}
      ${busy(e)
        ? html`<${Button} kind="small danger-quiet" label=${'Cancel ' + titleOf(e).toLowerCase()}
          act=${() => open({ kind: 'cancel', id: e.id })} test="export-cancel">Cancel<//>`
        : html`<${Button} kind="small danger-quiet" label=${'Delete ' + titleOf(e).toLowerCase()}
          act=${() => open({ kind: 'delete', id: e.id })} test="export-delete">Delete<//>`}</span>` },
  ];
}

export function Exports() {
  const { notify } = useApp();
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  const [dialog, setDialog] = useState(null);
  const nodes = query.data?.exports.nodes ?? none;
  usePoll(query, nodes.some(busy));
  useStatusChange(nodes, (e) => announce(e, notify));
  const close = () => setDialog(null);
  const add = html`<${Button} kind="primary" icon="plus" act=${() => setDialog({ kind: 'new' })}
    test="export-new">New export<//>`;
  const chosen = dialog && nodes.find((e) => e.id === dialog.id);
  return html`<${Page} title="Exports" actions=${add}
    lead="Orders, products and customers as files. Files are kept for 7 days.">
    <${ConnectionLost} query=${query} />
    <section class="card flush" aria-label="Exports" data-test="exports">
      <${List} query=${query} pick=${(d) => d.exports} caption="Exports" columns=${columns(setDialog, query.reload)}
        paged=${Boolean(f.after)} address=${(after) => to('/exports', { after })}
        empty=${html`<${Empty} icon="exports" title="No exports yet">
          Start one to open your data in a spreadsheet or a program.<//>`} />
    </section>
    ${dialog?.kind === 'new' && html`<${StartExport} onClose=${close} onStart=${query.reload} />`}
    ${dialog?.kind === 'cancel' && chosen &&
      html`<${CancelExport} of=${chosen} onClose=${close} changed=${query.reload} />`}
    ${dialog?.kind === 'delete' && chosen &&
      html`<${DeleteExport} of=${chosen} onClose=${close} changed=${query.reload} />`}
  <//>`;
}

export function announce(e, notify) {
  if (e.status === 'COMPLETED') {
    notify('The export of ' + kindName(e) + ' is ready: ' + rows(e.rowCount ?? 0) + '.');
  } else if (e.status === 'FAILED') {
    notify('The export of ' + kindName(e) + ' failed. ' + (e.error?.message ?? ''), 'bad');
  }
}
