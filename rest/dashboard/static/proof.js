// Asks a person to prove that it is them, before what a stolen session must not do.
import { html, useEffect, useState } from './lib.js';
import { useQuery } from './context.js';
import { Alert } from './ui.js';
import { Field, FormDialog, useMutation } from './form.js';
import { Failure, Refused, setProofPrompt } from './api.js';
import { knowsPasskeys, showPasskey } from './passkey.js';

const errors = 'userErrors { code message path }';
const ways = 'query Ways { account { email passkeysPossible factors { kind } } }';
const prove = `mutation SessionProve($input: SessionProveInput!) { sessionProve(input: $input) { until ${errors} } }`;
const ask = `mutation PasskeyAsk { passkeyAsk { token options ${errors} } }`;

/** Opens whenever a mutation needs a proof. */
export function Proof() {
  const [asked, set] = useState(null);
  useEffect(() => {
    setProofPrompt(() => new Promise((done, refuse) => set({ done, refuse })));
    return () => setProofPrompt(null);
  }, []);
  if (!asked) {
    return null;
  }
  const proved = () => {
    set(null);
    asked.done();
  };
  const closed = () => {
    set(null);
    asked.refuse(new Failure('Nothing was changed. Confirm it\u2019s you to continue.', 'reauthentication_required'));
  };
  return html`<${Question} proved=${proved} onClose=${closed} />`;
}

function Question({ proved, onClose }) {
  const run = useMutation(prove, { once: false });
  const begin = useMutation(ask, { once: false });
  const { data } = useQuery(ways);
  const [code, byCode] = useState(false);
  const [problem, fail] = useState('');
  const has = (kind) => Boolean(data?.account.factors.some((f) => f.kind === kind));
  const action = async (v) => {
    fail('');
    await run({ input: code ? { code: v.get('code') } : { password: v.get('password') } });
    proved();
    return false;
  };
  const usePasskey = async () => {
    fail('');
    try {
      const { token, options } = await begin({});
      await run({ input: { passkey: { token, response: await showPasskey(options) } } });
    } catch (e) {
      fail(e instanceof Failure || e instanceof Refused ? e.message
        : 'No passkey was used. Try again, or use another way.');
      return;
    }
    proved();
  };
  const passkey = has('PASSKEY') && data.account.passkeysPossible && knowsPasskeys();
  return html`<${FormDialog} title="Confirm it\u2019s you" name="proof" submit="Continue" busyText="Checking"
    onClose=${onClose} action=${action} extra=${html`
      ${passkey && html`<button type="button" class="button" onClick=${usePasskey} data-test="proof-passkey">
        Use passkey</button>`}
      ${has('TOTP') && html`<button type="button" class="button" onClick=${() => byCode(!code)} data-test="proof-way">
        ${code ? 'Use password' : 'Use code'}</button>`}`}>
    <p>You signed in a while ago. Confirm it\u2019s you. We won\u2019t ask again for ten minutes.</p>
    ${problem && html`<${Alert}>${problem}<//>`}
    <input type="text" name="username" autocomplete="username" value=${data?.account.email ?? ''} hidden readonly />
    ${code ? html`<${Field} key="code" name="code" label="Code" inputmode="numeric" required
        autocomplete="one-time-code" hint="Enter the six digits from your authenticator app, or a recovery code." />`
      : html`<${Field} key="password" name="password" label="Password" type="password"
        autocomplete="current-password" required />`}
  <//>`;
}
