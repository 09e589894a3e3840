// Files of the person: read them, and send what is large with the way it has come.

/** A request that the person stopped. */
export class Stopped extends Error {}

/**
 * Reads a file as base64.
 * @param {File} file
 * @param {{progress: (part: number) => void, signal: AbortSignal}} options progress gets 0 to 1
 * @returns {Promise<string>}
 */
export function base64(file, { progress, signal }) {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(',') + 1));
    reader.onerror = () => fail(reader.error);
    reader.onabort = () => fail(new Stopped());
    signal.addEventListener('abort', () => reader.abort());
    reader.readAsDataURL(file);
  });
}

/**
 * Sends a request as fetch does, and reports how much of it was sent, which
 * fetch does not.
 * @param {{progress: (part: number) => void, signal: AbortSignal}} options
 */
export const watched = ({ progress, signal }) => (url, { method, headers, body }) => new Promise((done, fail) => {
  const request = new XMLHttpRequest();
  request.open(method, url);
  for (const [name, value] of Object.entries(headers)) {
    request.setRequestHeader(name, value);
  }
  request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
  request.upload.onload = () => progress(1);
  request.onload = () => done({ status: request.status, json: async () => JSON.parse(request.responseText) });
  request.onerror = () => fail(new TypeError('The request failed.'));
  request.onabort = () => fail(new Stopped());
  signal.addEventListener('abort', () => request.abort());
  request.send(body);
});
