// WebAuthn: passes the server's options to the browser and its response back.

const fromBase64url = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
const toBase64url = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

export const supportsPasskeys = () => Boolean(window.PublicKeyCredential);

/**
 * Creates a passkey and returns the browser's response as JSON.
 * @param {string} options the server's options as JSON
 */
export async function createPasskey(options) {
  const { publicKey } = JSON.parse(options);
  const key = await navigator.credentials.create({
    publicKey: {
      ...publicKey, challenge: fromBase64url(publicKey.challenge),
      user: { ...publicKey.user, id: fromBase64url(publicKey.user.id) },
      excludeCredentials: (publicKey.excludeCredentials ?? []).map((c) => ({ ...c, id: fromBase64url(c.id) })),
    },
  });
  const { response } = key;
  return JSON.stringify({
    id: key.id, rawId: toBase64url(key.rawId), type: key.type, clientExtensionResults: {},
    response: {
      clientDataJSON: toBase64url(response.clientDataJSON), attestationObject: toBase64url(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  });
}

/**
 * Signs in with a passkey and returns the browser's response as JSON.
 * @param {string} options the server's options as JSON
 */
export async function getAssertion(options) {
  const { publicKey } = JSON.parse(options);
  const key = await navigator.credentials.get({
    publicKey: {
      ...publicKey, challenge: fromBase64url(publicKey.challenge),
      allowCredentials: (publicKey.allowCredentials ?? []).map((c) => ({ ...c, id: fromBase64url(c.id) })),
    },
  });
  const { response } = key;
  return JSON.stringify({
    id: key.id, rawId: toBase64url(key.rawId), type: key.type, clientExtensionResults: {},
    response: {
      clientDataJSON: toBase64url(response.clientDataJSON), authenticatorData: toBase64url(response.authenticatorData),
      signature: toBase64url(response.signature),
      userHandle: response.userHandle ? toBase64url(response.userHandle) : undefined,
    },
  });
}

/** The error of creating a passkey as a sentence. */
export function passkeyError(e) {
  switch (e.name) {
    case 'InvalidStateError': return 'This device already has a passkey for your account.';
    case 'NotAllowedError': return 'No passkey was created. Try again.';
    case 'SecurityError': return 'The browser does not allow passkeys at this address.';
  }
  return 'The browser could not create a passkey: ' + e.message;
}
