// The card for a person's own email address: verify it or change it.
import { html, useState } from './lib.js';
import { useAddress, useApp, useQuery } from './context.js';
import { Alert, Badge, Pending, Button } from './ui.js';
import { ActionButton, Field, FormDialog, useAction, useMutation, errors } from './form.js';
import { root } from './route.js';

const read = 'query Address { account { email verified mailPossible } }';
const verify = `mutation AddressVerify { addressVerify { sentTo ${errors} } }`;
const change = `mutation AddressChange($email: String!) { addressChange(email: $email) { sentTo ${errors} } }`;

export function Address() {
  const query = useQuery(read);
  const [changing, setChanging] = useState(false);
  if (!query.data) {
    return html`<${Pending} of=${query} rows=${2} />`;
  }
  const { email, verified, mailPossible } = query.data.account;
  return html`<p class="address-line"><bdi class="strong">${email}</bdi>
      <${Badge} value=${verified ? 'ACTIVE' : 'PENDING'} text=${verified ? 'Verified' : 'Not verified'} /></p>
    ${!mailPossible && html`<p class="muted">This service does not send email, so you cannot
      verify or change your address here.</p>`}
    ${mailPossible && html`<div class="form-end">
      ${!verified && html`<${Send} email=${email} />`}
      <${Button} act=${() => setChanging(true)} test="address-change">Change email<//>
      </div>`}
    ${changing && html`<${Change} onClose=${() => setChanging(false)} />`}`;
}

function Send({ email }) {
  const run = useMutation(verify);
  return html`<${ActionButton} run=${() => run({})} done=${'Link sent to ' + email + '.'}
    data-test="address-verify">Send link<//>`;
}

function Change({ onClose }) {
  const action = useAction(change, (v) => ({ email: (v.get('email') ?? '').trim() }),
    ({ sentTo }) => 'Link sent to ' + sentTo + '. Open it to confirm the new address.');
  return html`<${FormDialog} title="Change email address" name="address" submit="Send link" busyText="Sending"
    onClose=${onClose} action=${action}>
    <${Field} name="email" label="New email" type="email" required maxlength="254" autocomplete="email"
      hint="We send a link to this address. Your address changes when you open it." />
  <//>`;
}

/** Asks for verification of the email address on every page except Security. */
export function Unverified() {
  const { account, locked } = useApp();
  const { path } = useAddress();
  if (account.verified || !account.mailPossible || locked || path === root + '/security') {
    return null;
  }
  return html`<div class="banner" data-test="unverified"><${Alert} tone="info">
    <p>Verify your email address, <bdi>${account.email}</bdi>: open the link that we sent you.</p>
    <${Send} email=${account.email} /><//></div>`;
}
