// Asks the browser for a passkey, or a new one, and submits its answer with the form. Forms with
// data-passkey stay hidden if the browser has no passkeys.
'use strict';

(() => {
  const credentials = window.PublicKeyCredential;
  if (!credentials?.parseRequestOptionsFromJSON) {
    return;
  }
  const ask = ({ publicKey }) => publicKey.user
    ? navigator.credentials.create({ publicKey: credentials.parseCreationOptionsFromJSON(publicKey) })
    : navigator.credentials.get({ publicKey: credentials.parseRequestOptionsFromJSON(publicKey) });

  const submit = async (form) => {
    form.querySelector('[role=alert]')?.remove();
    try {
      form.elements.response.value = JSON.stringify(await ask(JSON.parse(form.dataset.passkey)));
      form.submit(); // fires no submit event
    } catch {
      const problem = document.createElement('p');
      problem.className = 'wrong';
      problem.setAttribute('role', 'alert');
      form.append(problem); // before its text: screen readers announce changes only
      problem.textContent = form.dataset.refused;
    }
  };

  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.hidden = false;
    form.closest('section')?.removeAttribute('hidden');
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      submit(form);
    });
  }
})();
