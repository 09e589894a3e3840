// The forms that a passkey answers: the server's question goes to the browser, and the
// browser's answer back with the form. Without this script, or without passkeys in the
// browser, the forms stay hidden.
'use strict';

(() => {
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

  const ask = async (address) => {
    const answer = await fetch(address, { method: 'POST' });
    const body = await answer.json();
    if (!answer.ok) {
      throw new Error(body.problem);
    }
    return body;
  };

  const show = async (options) => {
    const { publicKey } = options;
    const known = (publicKey.allowCredentials ?? []).map((c) => ({ ...c, id: bytes(c.id) }));
    const key = await navigator.credentials.get({
      publicKey: { ...publicKey, challenge: bytes(publicKey.challenge), allowCredentials: known },
    });
    const { response } = key;
    return JSON.stringify({
      id: key.id, rawId: text(key.rawId), type: key.type, clientExtensionResults: {},
      response: {
        clientDataJSON: text(response.clientDataJSON), authenticatorData: text(response.authenticatorData),
        signature: text(response.signature), userHandle: response.userHandle ? text(response.userHandle) : undefined,
      },
    });
  };

  const take = async (form) => {
    const button = form.querySelector('button');
    form.querySelector('[role=alert]')?.remove();
    button.disabled = true;
    try {
      const question = await ask(form.dataset.passkey);
      form.elements.response.value = await show(question.options);
      form.elements.ceremony.value = question.token;
      form.submit(); // without another event of submit
    } catch (e) {
      const problem = document.createElement('p');
      problem.className = 'wrong';
      problem.setAttribute('role', 'alert');
      form.append(problem); // first: what is read out is what changes
      problem.textContent = e.name === 'NotAllowedError'
        ? 'No passkey was used. Try again, or use another way.' : e.message;
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
      take(form);
    });
  }
})();
