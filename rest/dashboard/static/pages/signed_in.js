// Shown in the tab where a person signed in again for another tab.
import { html } from '../lib.js';
import { Page, Alert } from '../ui.js';
import { to } from '../route.js';

export function SignedIn() {
  return html`<${Page} title="You are signed in"><${Alert} tone="good">
    <p>Close this tab and continue in the other one. What you entered there is being sent.
      Or <a href=${to('')}>go to the dashboard</a>.</p><//><//>`;
}
