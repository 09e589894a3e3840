// Exports the attempt log of an endpoint.
import { html } from './lib.js';
import { go, useApp } from './context.js';
import { FormDialog, Select, useMutation } from './form.js';
import { exportPath, formats, startExport } from './export_state.js';
import { to } from './route.js';

export function AttemptLog({ endpoint: e, onClose }) {
  const { notify } = useApp();
  const run = useMutation(startExport);
  const action = async (v) => {
    const input = { kind: 'WEBHOOK_ATTEMPTS', webhookId: e.id, format: v.get('format') };
    const { export: created } = await run({ input });
    notify('Export of webhook attempts started.');
    go(to(exportPath(created.id)));
  };
  return html`<${FormDialog} title="Export attempt log" name="log" submit="Start export" busyText="Starting"
    onClose=${onClose} action=${action}>
    <p>One file with all attempts of the last 14 days, oldest delivery first. It does not include
      request and response bodies.</p>
    <${Select} name="format" label="Format" value="CSV"
      options=${Object.entries(formats).filter(([f]) => f !== 'SPREADSHEET')} />
  <//>`;
}
