// The person's own account, with one component for each section.
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
  const [passwords, setPasswords] = useState(0); // a new password ends sessions and tokens, so they are read again
  const [events, setEvents] = useState(0);
  const happened = () => setEvents((n) => n + 1);
  const changed = () => {
    setPasswords((n) => n + 1);
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
