// The export of what a list shows.
import { html, useState } from './lib.js';
import { useApp, go } from './context.js';
import { StartExport } from './export_actions.js';
import { exportPath } from './export_state.js';
import { Icon } from './icons.js';
import { to } from './route.js';

/**
 * A button that exports what a list shows: of is its kind, status and days, and
 * more says that it is narrowed further than exports know.
 */
export function ExportList({ of, more }) {
  const { can } = useApp();
  const [open, set] = useState(false);
  return can('exports') && html`<button type="button" class="button" onClick=${() => set(true)} data-test="export-list">
      <${Icon} name="exports" size="16" />Export these</button>
    ${open && html`<${StartExport} of=${of} onClose=${() => set(false)} begun=${(id) => go(to(exportPath(id)))}>
      ${more && html`<p class="which">${more}</p>`}<//>`}`;
}
