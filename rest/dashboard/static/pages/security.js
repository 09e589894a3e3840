// The person's own account: how they prove who they are, where they are signed in, and what
// happened. One component for each section.
import { html, useState } from '../lib.js';
import { useApp } from '../context.js';
import { Alert, Card, Page } from '../ui.js';
import { AccountLog } from '../account_log.js';
import { Address } from '../address.js';
import { Factors } from '../factors.js';
import { Password } from '../password.js';
import { Sessions } from '../sessions.js';
import { Tokens } from '../tokens.js';

export function Security() {
  const { store, locked } = useApp();
  const [passwords, nextPassword] = useState(0); // a new one ends sessions and tokens: they are read again
  const [events, nextEvent] = useState(0);
  const happened = () => nextEvent((n) => n + 1);
  const changed = () => {
    nextPassword((n) => n + 1);
    happened();
  };
  return html`<${Page} title="Security" lead="Protect your account in all your stores.">
    ${locked && html`<${Alert} tone="info"><span data-test="locked">${store.name} requires a second factor.
      Set one up here to open the store.</span><//>`}
    <div class="columns">
      <div class="stack">
        <${Card} title="Second factors" name="factors"><${Factors} /><//>
        ${!locked && html`<${Card} title="Email address" name="address"><${Address} /><//>`}
      </div>
      <div class="stack">
        <${Card} title="Sessions" name="sessions">
          <${Sessions} key=${passwords} changed=${happened} /><//>
        <${Card} title="Password" name="password"><${Password} changed=${changed} /><//>
      </div>
    </div>
    ${!locked && html`<${Tokens} key=${'t' + passwords} changed=${happened} />`}
    <${AccountLog} key=${'l' + events} />
  <//>`;
}
