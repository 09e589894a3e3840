// A person's second factors: passkeys, authenticator apps and recovery codes.
import { html, useEffect, useState } from './lib.js';
import { useApp, useQuery } from './context.js';
import { Alert, Copyable, Dialog, Time, Skeleton, Pending, Button, isolate } from './ui.js';
import { Confirm, Field, FormDialog, FieldError, ConfirmMutation, useAction, useMutation, errors } from './form.js';
import { messageOf } from './api.js';
import { supportsPasskeys, createPasskey, passkeyError } from './passkey.js';

const list = `query Factors { account { recoveryCodesLeft passkeysPossible
  factors { id kind name createdAt lastUsedAt } } }`;
const totpBegin = `mutation TotpBegin { totpBegin { token secret qr ${errors} } }`;
const totpConfirm = `mutation TotpConfirm($token: String!, $code: String!, $name: String) {
  totpConfirm(token: $token, code: $code, name: $name) { recoveryCodes ${errors} } }`;
const passkeyBegin = `mutation PasskeyBegin { passkeyBegin { token options ${errors} } }`;
const passkeyFinish = `mutation PasskeyFinish($token: String!, $response: String!, $name: String) {
  passkeyFinish(token: $token, response: $response, name: $name) { recoveryCodes ${errors} } }`;
const rename = `mutation FactorRename($id: ID!, $name: String!) {
  factorRename(id: $id, name: $name) { factor { id } ${errors} } }`;
const remove = `mutation FactorRemove($id: ID!) { factorRemove(id: $id) { removedId ${errors} } }`;
const renew = `mutation RecoveryCodesRenew { recoveryCodesRenew { recoveryCodes ${errors} } }`;

const kinds = { PASSKEY: 'Passkey', TOTP: 'Authenticator app' };
const nameHint = 'For example, Work laptop.';

export function Factors() {
  const { notify, refresh, locked } = useApp();
  const query = useQuery(list);
  const [dialog, setDialog] = useState(null);
  if (!query.data) {
    return html`<${Pending} of=${query} rows=${2} />`;
  }
  const { factors, recoveryCodesLeft, passkeysPossible } = query.data.account;
  const close = () => setDialog(null);
  const closeCodes = () => { // the store opens once a second factor is set up
    close();
    if (locked) {
      refresh();
    }
  };
  const added = (codes) => {
    notify('Second factor added.');
    query.reload();
    if (codes) {
      setDialog({ kind: 'codes', codes });
    } else {
      closeCodes();
    }
    return false;
  };
  const renewed = (codes) => {
    query.reload();
    setDialog({ kind: 'codes', codes });
    return false;
  };
  return html`<p>When you sign in, you confirm with one of these after your password. A passkey also works without
      the password.</p>
    ${factors.length === 0 && html`<p class="muted" data-test="no-factors">No second factor yet.</p>`}
    <ul class="sessions" data-test="factor-list">${factors.map((f) => html`<${Factor} key=${f.id} of=${f}
      open=${setDialog} />`)}</ul>
    ${factors.length > 0 && html`<p data-test="codes-left">${recoveryCodesLeft} of 10 recovery codes left.
      ${' '}<${Button} kind="small" act=${() => setDialog({ kind: 'renew' })}
        test="codes-renew">Create new codes<//></p>`}
    ${!passkeysPossible && html`<p class="muted">Passkeys need a domain name. This dashboard is
      served at an IP address.</p>`}
    <div class="form-end">
      ${passkeysPossible && supportsPasskeys() && html`<${Button} kind="primary" icon="plus"
        act=${() => setDialog({ kind: 'passkey' })} test="passkey-new">Passkey<//>`}
      <${Button} icon="plus" act=${() => setDialog({ kind: 'totp' })} test="totp-new">Authenticator app<//></div>
    ${dialog?.kind === 'passkey' && html`<${NewPasskey} onClose=${close} added=${added} />`}
    ${dialog?.kind === 'totp' && html`<${NewApp} onClose=${close} added=${added} />`}
    ${dialog?.kind === 'codes' && html`<${Codes} codes=${dialog.codes} onClose=${closeCodes} />`}
    ${dialog?.kind === 'renew' && html`<${Renew} onClose=${close} renewed=${renewed} />`}
    ${dialog?.kind === 'rename' && html`<${Rename} of=${dialog.factor} onClose=${close} changed=${query.reload} />`}
    ${dialog?.kind === 'remove' && html`<${Remove} of=${dialog.factor} last=${factors.length === 1} onClose=${close}
      changed=${query.reload} />`}`;
}

function Factor({ of: f, open }) {
  return html`<li>
    <div class="grow"><p class="strong"><bdi>${f.name}</bdi></p>
      <p class="muted">${kinds[f.kind]}, added <${Time} at=${f.createdAt} how="date" />,
        ${f.lastUsedAt ? html` last used <${Time} at=${f.lastUsedAt} how="ago" />` : ' never used'}</p></div>
    <span class="row-actions">
      <${Button} kind="small" label=${'Rename ' + f.name} act=${() => open({ kind: 'rename', factor: f })}
        test="factor-rename">Rename<//>
      <${Button} kind="small danger-quiet" label=${'Remove ' + f.name} act=${() => open({ kind: 'remove', factor: f })}
        test="factor-remove">Remove<//></span></li>`;
}

function NewPasskey({ onClose, added }) {
  const begin = useMutation(passkeyBegin, { once: false });
  const finish = useMutation(passkeyFinish, { once: false });
  const action = async (v) => {
    const { token, options } = await begin({});
    let response;
    try {
      response = await createPasskey(options);
    } catch (e) {
      throw new FieldError('name', passkeyError(e));
    }
    const { recoveryCodes } = await finish({ token, response, name: v.get('name') });
    return added(recoveryCodes);
  };
  return html`<${FormDialog} title="New passkey" name="passkey" submit="Create passkey"
    busyText="Waiting for the browser"
    onClose=${onClose} action=${action}>
    <p>Your browser will ask for your fingerprint, face, PIN or security key.</p>
    <${Field} name="name" label="Name" optional hint=${nameHint} maxlength="255" />
  <//>`;
}

function NewApp({ onClose, added }) {
  const begin = useMutation(totpBegin, { once: false });
  const confirm = useMutation(totpConfirm, { once: false });
  const [state, setState] = useState({ up: null, failure: '' });
  useEffect(() => {
    begin({}).then((up) => setState({ up, failure: '' }), (e) => setState({ up: null, failure: messageOf(e) }));
  }, []);
  const action = async (v) => {
    const { recoveryCodes } = await confirm({ token: state.up.token, code: v.get('code'), name: v.get('name') });
    return added(recoveryCodes);
  };
  if (!state.up) {
    return html`<${Dialog} title="New authenticator app" onClose=${onClose} name="totp-dialog">
      ${state.failure ? html`<${Alert}>${state.failure}<//>` : html`<${Skeleton} rows=${3} />`}<//>`;
  }
  return html`<${FormDialog} title="New authenticator app" name="totp" submit="Confirm" onClose=${onClose}
    action=${action}>
    <p>Scan this code with an app such as Aegis, 1Password or Google Authenticator, or enter the secret.</p>
    <p class="qr"><img src=${state.up.qr} alt="QR code with the secret" width="200" height="200" /></p>
    <p class="secret"><${Copyable} text=${state.up.secret} test="totp-secret" /></p>
    <${Field} name="code" label="Code" inputmode="numeric" autocomplete="one-time-code" required
      hint="Enter the six digits that the app shows." />
    <${Field} name="name" label="Name" optional hint=${nameHint} maxlength="255" />
  <//>`;
}

function Codes({ codes, onClose }) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([codes.join('\n') + '\n'], { type: 'text/plain' }));
    const link = Object.assign(document.createElement('a'), { href: address, download: 'recovery-codes.txt' });
    link.click();
    URL.revokeObjectURL(address);
  };
  return html`<${Dialog} title="Recovery codes" guard onClose=${onClose} name="codes-dialog">
    <${Alert} tone="info">These codes are shown only once. Each one replaces a lost second factor once. Keep them
      where you can find them without your devices.<//>
    <div class="codes"><${Copyable} text=${codes.join('\n')} test="codes" /></div>
    <div class="form-end">
      <${Button} act=${() => print()}>Print<//>
      <${Button} act=${save} test="codes-save">Download<//>
      <${Button} kind="primary" act=${onClose} test="codes-done">I have saved them<//>
    </div><//>`;
}

function Renew({ onClose, renewed }) {
  const run = useMutation(renew, { once: false });
  const action = async () => renewed((await run({})).recoveryCodes);
  return html`<${Confirm} title="Create new recovery codes?" name="codes-renew" submit="Create codes" danger=${false}
    onClose=${onClose} action=${action}><p>Your current codes stop working.</p><//>`;
}

function Rename({ of: f, onClose, changed }) {
  const action = useAction(rename, (v) => ({ id: f.id, name: v.get('name') }), 'Name saved.', changed);
  return html`<${FormDialog} title="Rename" name="factor-rename" submit="Save" onClose=${onClose} action=${action}>
    <${Field} name="name" label="Name" value=${f.name} required maxlength="255" /><//>`;
}

function Remove({ of: f, last, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Remove \u201c' + isolate(f.name) + '\u201d?'} name="factor-remove"
    submit="Remove" document=${remove} variables=${{ id: f.id }} done="Second factor removed." changed=${changed}
    onClose=${onClose}>
    <p>${last ? 'This is your last second factor. You will sign in with your password alone, and your recovery codes ' +
      'stop working.'
      : 'You can no longer sign in with it. Your other second factors keep working.'}</p><//>`;
}
