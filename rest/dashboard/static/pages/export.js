// An export: its progress and its file.
import { html, useState } from '../lib.js';
import { useApp, useQuery, go } from '../context.js';
import { Page, Card, Time, Alert, Facts, Copyable, MissingPage, Button } from '../ui.js';
import { ConnectionLost, useStatusChange, usePoll } from '../live.js';
import { CancelExport, DeleteExport, Download } from '../export_actions.js';
import {
  FilterSummary, Progress, Status, busy, bytes, exportFields, formatName, requester, rows, titleOf,
} from '../export_state.js';
import { announce } from './exports.js';
import { to } from '../route.js';

const read = `query Export($id: ID!) { export(id: $id) { ${exportFields} } }`;

const back = { href: to('/exports'), text: 'Exports' };
const none = [];

export function Export({ id }) {
  const { notify } = useApp();
  const query = useQuery(read, { id });
  const [dialog, setDialog] = useState(null);
  const e = query.data?.export;
  usePoll(query, Boolean(e && busy(e)));
  useStatusChange(e ? [e] : none, () => announce(e, notify));
  if (!e) {
    return html`<${MissingPage} query=${query} name="Export" icon="exports" back=${back} rows=${6} />`;
  }
  const close = () => setDialog(null);
  const actions = html`${e.status === 'COMPLETED' && html`<${Download} of=${e} kind="primary"
    onMissing=${query.reload} />`}
    ${busy(e)
      ? html`<${Button} kind="danger-quiet" act=${() => setDialog('cancel')} test="export-cancel">Cancel<//>`
      : html`<${Button} kind="danger-quiet" act=${() => setDialog('delete')} test="export-delete">Delete<//>`}`;
  return html`<${Page} title=${titleOf(e)} back=${back} badges=${html`<${Status} of=${e} />`} actions=${actions}>
    <${ConnectionLost} query=${query} />
    <${StatusAlert} of=${e} />
    <div class="columns">
      ${e.rowCount != null && html`<${Card} title="File" name="export-file"><${Facts} rows=${[
        ['Rows', html`<span class="figure">${e.rowCount.toLocaleString()}</span>`],
        ['Size', html`<span class="figure" title=${(e.fileSizeBytes ?? 0).toLocaleString() + ' bytes'}>
          ${bytes(e.fileSizeBytes ?? 0)}</span>`],
        ['SHA-256', e.sha256 && html`<${Copyable} text=${e.sha256} test="sha256" />`],
        [e.status === 'EXPIRED' ? 'Expired' : 'Expires', e.expiresAt && html`<${Time} at=${e.expiresAt} />`],
      ]} /><//>`}
      <${Card} title="Job" name="export-job"><${Facts} rows=${[
        ['Contents', html`<${FilterSummary} of=${e} />`], ['Format', formatName(e)],
        ['Requested by', html`<bdi>${requester(e)}</bdi>`],
        ['Requested', html`<${Time} at=${e.createdAt} how="second" />`],
        ['Started', e.startedAt && html`<${Time} at=${e.startedAt} how="second" />`],
        [ends[e.status] ?? 'Ended', e.completedAt && html`<${Time} at=${e.completedAt} how="second" />`],
        ['ID', html`<${Copyable} text=${e.id} test="export-id" />`],
      ]} /><//>
    </div>
    ${dialog === 'cancel' && html`<${CancelExport} of=${e} onClose=${close} changed=${query.reload} />`}
    ${dialog === 'delete' &&
      html`<${DeleteExport} of=${e} onClose=${close} changed=${() => go(to('/exports'), { replace: true })} />`}
  <//>`;
}

const ends = { COMPLETED: 'Completed', EXPIRED: 'Completed', FAILED: 'Failed', CANCELLED: 'Cancelled' };

function StatusAlert({ of: e }) {
  if (busy(e)) {
    return html`<${Card} name="export-progress"><${Progress} of=${e} />
      <p class="muted after-progress">You can leave this page. The export continues in the background.</p><//>`;
  }
  if (e.status === 'FAILED') {
    return html`<${Alert}><div data-test="standing">
      <p class="verbatim">${e.error?.message ?? 'The export failed.'}</p>
      ${e.error && html`<p class="muted">Code <code>${e.error.code}</code>, after ${rows(e.progress.rowsDone)}.</p>`}
      </div><//>`;
  }
  if (e.status === 'EXPIRED') {
    return html`<${Alert} tone="info"><span data-test="standing">
      ${e.error?.message ?? 'The file was deleted after 7 days. Start another export for current data.'}
      </span><//>`;
  }
  return e.status === 'CANCELLED' && html`<${Alert} tone="info"><span data-test="standing">
    Cancelled after ${rows(e.progress.rowsDone)}. There is no file.</span><//>`;
}
