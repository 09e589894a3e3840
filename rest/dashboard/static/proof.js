// Asks a person to confirm their identity before a sensitive action.
import { html, useEffect, useState } from './lib.js';
import { useQuery } from './context.js';
import { Alert, Button } from './ui.js';
import { Field, FormDialog, useMutation, errors } from './form.js';
import { Failure, Refused, setProofPrompt } from './api.js';
import { supportsPasskeys, getAssertion } from './passkey.js';

const factorsQuery = 'query Ways { account { email passkeysPossible factors { kind } } }';
const prove = `mutation SessionProve($input: SessionProveInput!) { sessionProve(input: $input) { until ${errors} } }`;
const ask = `mutation PasskeyAsk { passkeyAsk { token options ${errors} } }`;

/** Opens when a mutation requires confirmation. */
export function Proof() {
  const [asked, setAsked] = useState(null);
  useEffect(() => {
    setProofPrompt(() => new Promise((done, refuse) => setAsked({ done, refuse })));
    return () => setProofPrompt(null);
  }, []);
  if (!asked) {
    return null;
  }
  const proved = () => {
    setAsked(null);
    asked.done();
  };
  const closed = () => {
    setAsked(null);
    asked.refuse(new Failure('Nothing was changed. Confirm it\u2019s you to continue.', 'reauthentication_required'));
  };
  return html`<${ProofDialog} proved=${proved} onClose=${closed} />`;
}

function ProofDialog({ proved, onClose }) {
  const run = useMutation(prove, { once: false });
  const begin = useMutation(ask, { once: false });
  const { data } = useQuery(factorsQuery);
  const [code, setCode] = useState(false);
  const [problem, setProblem] = useState('');
  const has = (kind) => Boolean(data?.account.factors.some((f) => f.kind === kind));
  const action = async (v) => {
    setProblem('');
    await run({ input: code ? { code: v.get('code') } : { password: v.get('password') } });
    proved();
    return false;
  };
  const usePasskey = async () => {
    setProblem('');
    try {
      const { token, options } = await begin({});
      await run({ input: { passkey: { token, response: await getAssertion(options) } } });
    } catch (e) {
      setProblem(e instanceof Failure || e instanceof Refused ? e.message
        : 'The passkey was not used. Try again or use another method.');
      return;
    }
    proved();
  };
  const passkey = has('PASSKEY') && data.account.passkeysPossible && supportsPasskeys();
  return html`<${FormDialog} title="Confirm it\u2019s you" name="proof" submit="Continue" busyText="Checking"
    onClose=${onClose} action=${action} extra=${html`
      ${passkey && html`<${Button} act=${usePasskey} test="proof-passkey">Use passkey<//>`}
      ${has('TOTP') && html`<${Button} act=${() => setCode(!code)}
        test="proof-way">${code ? 'Use password' : 'Use code'}<//>`}`}>
    <p>You signed in a while ago. Confirm it\u2019s you. We won\u2019t ask again for ten minutes.</p>
    ${problem && html`<${Alert}>${problem}<//>`}
    <input type="text" name="username" autocomplete="username" value=${data?.account.email ?? ''} hidden readonly />
    ${code ? html`<${Field} key="code" name="code" label="Code" inputmode="numeric" required
        autocomplete="one-time-code" hint="Enter the six digits from your authenticator app, or a recovery code." />`
      : html`<${Field} key="password" name="password" label="Password" type="password"
        autocomplete="current-password" required />`}
  <//>`;
}
