// Asks a person to sign in again after the session has ended. Unsaved input stays and is sent
// afterwards.
import { html, useEffect, useState } from './lib.js';
import { useApp } from './context.js';
import { Alert, Dialog, Button } from './ui.js';
import { Failure, signInAddress, signedIn, setSignInPrompt } from './api.js';
import { to } from './route.js';

const channelName = 'sign-in'; // the broadcast channel of this browser's tabs

/** Notifies the other tabs that a person has signed in. */
export function announceSignIn() {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage('');
  channel.close();
}

/** Opens when a request finds that the session has ended. */
export function SignIn() {
  const [asked, setAsked] = useState(null);
  useEffect(() => {
    setSignInPrompt(() => new Promise((done, refuse) => setAsked({ done, refuse })));
    return () => setSignInPrompt(null);
  }, []);
  const end = (act) => () => {
    setAsked(null);
    act();
  };
  return asked && html`<${SignInDialog} done=${end(asked.done)} onClose=${end(() =>
    asked.refuse(new Failure('Nothing was sent because you are not signed in.', 'authentication_required')))} />`;
}

function SignInDialog({ done, onClose }) {
  const { account } = useApp();
  const [other, setOther] = useState('');
  const check = async () => {
    const found = await signedIn();
    if (found?.id === account.id) {
      done();
    } else {
      setOther(found?.name ?? '');
    }
  };
  useEffect(() => {
    check();
    const channel = new BroadcastChannel(channelName);
    channel.onmessage = check;
    addEventListener('focus', check);
    return () => {
      channel.close();
      removeEventListener('focus', check);
    };
  }, []);
  return html`<${Dialog} title="Sign in again" onClose=${onClose} name="sign-in-again">
    ${other ? html`<${Alert} tone="info"><p><bdi>${other}</bdi> is signed in to this browser. Your input is not sent
        from that account. Sign out of it, then sign in as <bdi>${account.name}</bdi>.</p><//>`
      : html`<p>You are signed out. Your input is kept and sent after you sign in
        as <bdi>${account.name}</bdi>.</p>`}
    <div class="form-end">
      <${Button} act=${onClose} test="sign-in-later">Not now<//>
      ${other ? html`<form method="post" action="/sign-out" target="_blank">
          <button type="submit" class="button primary" data-test="sign-in-out">Sign out</button></form>`
        : html`<a class="button primary" href=${signInAddress(to('/signed-in'))} target="_blank" rel="noopener"
          data-test="sign-in-open">Sign in<span class="visually-hidden"> (opens a new tab)</span></a>`}
    </div>
  <//>`;
}
