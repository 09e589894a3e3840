// Exports the attempt log of an endpoint.
import { html } from './lib.js';
import { go } from './context.js';
import { FormDialog, Select, useAction } from './form.js';
import { exportPath, formats, startExport } from './export_state.js';
import { to } from './route.js';

export function AttemptLog({ endpoint: e, onClose }) {
  const action = useAction(startExport,
    (v) => ({ input: { kind: 'WEBHOOK_ATTEMPTS', webhookId: e.id, format: v.get('format') } }),
    'Export of webhook attempts started.', ({ export: created }) => go(to(exportPath(created.id))));
  return html`<${FormDialog} title="Export attempt log" name="log" submit="Start export" busyText="Starting"
    onClose=${onClose} action=${action}>
    <p>One file with all attempts of the last 14 days, oldest delivery first. It does not include
      request and response bodies.</p>
    <${Select} name="format" label="Format" value="CSV"
      options=${Object.entries(formats).filter(([f]) => f !== 'SPREADSHEET')} />
  <//>`;
}
