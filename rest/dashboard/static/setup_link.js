// The way back from a page that was opened from the checklist on Home.
import { html } from './lib.js';
import { useAddress, useApp } from './context.js';
import { Icon } from './icons.js';
import { root } from './route.js';

/** Remembers that this tab is setting up a store; empty when the person is back. */
export const markSetup = (id) => sessionStorage.setItem('setup', id);

export function SetupLink() {
  const { store } = useApp();
  const { path } = useAddress();
  return path !== root && sessionStorage.getItem('setup') === store.id && html`<a class="back" href=${root}
    data-test="setup-back"><${Icon} name="back" size="16" />Back to setup</a>`;
}
