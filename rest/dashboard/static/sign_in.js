// Asks a person to sign in again over the page, where their session has ended: what they typed stays, and is sent then.
import { html, useEffect, useState } from './lib.js';
import { useApp } from './context.js';
import { Alert, Dialog } from './ui.js';
import { Failure, signInAddress, signedIn, setSignInPrompt } from './api.js';
import { to } from './route.js';

const news = 'sign-in'; // tells the tabs of this browser that somebody has signed in

/** Tells the other tabs that somebody is signed in. */
export function tellTabs() {
  const channel = new BroadcastChannel(news);
  channel.postMessage('');
  channel.close();
}

/** Opens whenever a request finds that the session has ended. */
export function SignIn() {
  const [asked, set] = useState(null);
  useEffect(() => {
    setSignInPrompt(() => new Promise((done, refuse) => set({ done, refuse })));
    return () => setSignInPrompt(null);
  }, []);
  const end = (act) => () => {
    set(null);
    act();
  };
  return asked && html`<${Question} done=${end(asked.done)} onClose=${end(() =>
    asked.refuse(new Failure('Nothing was sent because you are not signed in.', 'authentication_required')))} />`;
}

function Question({ done, onClose }) {
  const { account } = useApp();
  const [other, meet] = useState('');
  const check = async () => {
    const found = await signedIn();
    if (found?.id === account.id) {
      done();
    } else {
      meet(found?.name ?? '');
    }
  };
  useEffect(() => {
    check();
    const channel = new BroadcastChannel(news);
    channel.onmessage = check;
    addEventListener('focus', check);
    return () => {
      channel.close();
      removeEventListener('focus', check);
    };
  }, []);
  return html`<${Dialog} title="Sign in again" onClose=${onClose} name="sign-in-again">
    ${other ? html`<${Alert} tone="info"><p><bdi>${other}</bdi> has signed in with this browser. What you typed as${' '}
        <bdi>${account.name}</bdi> is not sent for them. Sign out of that account, then sign in to yours.</p><//>`
      : html`<p>You are signed out. What you typed is still here, and is sent once you have signed in as${' '}
        <bdi>${account.name}</bdi>.</p>`}
    <div class="form-end">
      <button type="button" class="button" onClick=${onClose} data-test="sign-in-later">Not now</button>
      ${other ? html`<form method="post" action="/sign-out" target="_blank">
          <button type="submit" class="button primary" data-test="sign-in-out">Sign out</button></form>`
        : html`<a class="button primary" href=${signInAddress(to('/signed-in'))} target="_blank" rel="noopener"
          data-test="sign-in-open">Sign in<span class="unseen"> (opens a new tab)</span></a>`}
    </div>
  <//>`;
}
