// Passkeys: from the server's question to the browser, and back.

const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

/** Whether the browser knows passkeys. */
export const knowsPasskeys = () => Boolean(window.PublicKeyCredential);

/**
 * Makes a passkey and returns what the browser says of it, as JSON.
 * @param {string} options what the server asks, as JSON
 */
export async function makePasskey(options) {
  const { publicKey } = JSON.parse(options);
  const key = await navigator.credentials.create({
    publicKey: {
      ...publicKey, challenge: bytes(publicKey.challenge), user: { ...publicKey.user, id: bytes(publicKey.user.id) },
      excludeCredentials: (publicKey.excludeCredentials ?? []).map((c) => ({ ...c, id: bytes(c.id) })),
    },
  });
  const { response } = key;
  return JSON.stringify({
    id: key.id, rawId: text(key.rawId), type: key.type, clientExtensionResults: {},
    response: {
      clientDataJSON: text(response.clientDataJSON), attestationObject: text(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  });
}

/**
 * Shows one of the person's passkeys and returns what the browser says of it, as JSON.
 * @param {string} options what the server asks, as JSON
 */
export async function showPasskey(options) {
  const { publicKey } = JSON.parse(options);
  const key = await navigator.credentials.get({
    publicKey: {
      ...publicKey, challenge: bytes(publicKey.challenge),
      allowCredentials: (publicKey.allowCredentials ?? []).map((c) => ({ ...c, id: bytes(c.id) })),
    },
  });
  const { response } = key;
  return JSON.stringify({
    id: key.id, rawId: text(key.rawId), type: key.type, clientExtensionResults: {},
    response: {
      clientDataJSON: text(response.clientDataJSON), authenticatorData: text(response.authenticatorData),
      signature: text(response.signature), userHandle: response.userHandle ? text(response.userHandle) : undefined,
    },
  });
}

/** What went wrong when a passkey was made, as a sentence. */
export function passkeyProblem(e) {
  switch (e.name) {
    case 'InvalidStateError': return 'This device already has a passkey for your account.';
    case 'NotAllowedError': return 'No passkey was created. Try again.';
    case 'SecurityError': return 'The browser does not allow passkeys at this address.';
  }
  return 'The browser could not create a passkey: ' + e.message;
}
