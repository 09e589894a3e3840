// Signs in with a passkey: fetches the challenge, asks the browser for an assertion and submits
// it with the form. Forms with data-passkey stay hidden if the browser has no passkeys.
'use strict';

(() => {
  const fromBase64url = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  const toBase64url = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

  const post = async (url) => {
    const response = await fetch(url, { method: 'POST' });
    const body = await response.json();
    if (!response.ok) {
      throw new Error(body.problem);
    }
    return body;
  };

  const getAssertion = async ({ publicKey }) => {
    const allowCredentials = (publicKey.allowCredentials ?? []).map((c) => ({ ...c, id: fromBase64url(c.id) }));
    const key = await navigator.credentials.get({
      publicKey: { ...publicKey, challenge: fromBase64url(publicKey.challenge), allowCredentials },
    });
    const { response } = key;
    return JSON.stringify({
      id: key.id, rawId: toBase64url(key.rawId), type: key.type, clientExtensionResults: {},
      response: {
        clientDataJSON: toBase64url(response.clientDataJSON),
        authenticatorData: toBase64url(response.authenticatorData),
        signature: toBase64url(response.signature),
        userHandle: response.userHandle ? toBase64url(response.userHandle) : undefined,
      },
    });
  };

  const submit = async (form) => {
    const button = form.querySelector('button');
    form.querySelector('[role=alert]')?.remove();
    button.disabled = true;
    try {
      const challenge = await post(form.dataset.passkey);
      form.elements.response.value = await getAssertion(challenge.options);
      form.elements.ceremony.value = challenge.token;
      form.submit(); // fires no submit event
    } catch (e) {
      const problem = document.createElement('p');
      problem.className = 'wrong';
      problem.setAttribute('role', 'alert');
      form.append(problem); // before its text: screen readers announce changes only
      problem.textContent = e.name === 'NotAllowedError'
        ? 'The passkey was not used. Try again or use another method.' : e.message;
      button.disabled = false;
    }
  };

  if (!window.PublicKeyCredential) {
    return;
  }
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.hidden = false;
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      submit(form);
    });
  }
})();
