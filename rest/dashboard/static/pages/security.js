// The person's own account: how they prove who they are. One component for each section.
import { html } from '../lib.js';
import { useApp } from '../context.js';
import { Alert, Card, Page } from '../ui.js';
import { Factors } from '../factors.js';

export function Security() {
  const { store, locked } = useApp();
  return html`<${Page} title="Security" lead="What keeps your account yours, in all your stores.">
    ${locked && html`<${Alert} tone="info"><span data-test="locked">${store.name} requires a second factor of its
      people. Set one up here, and the store opens.</span><//>`}
    <${Card} title="Second factors" name="factors"><${Factors} /><//>
  <//>`;
}
