// Reading files and uploading them with progress.

export const carriesFile = (e) => [...(e.dataTransfer?.types ?? [])].includes('Files');

/** The person stopped the upload. */
export class UploadAborted extends Error {}

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
    reader.onabort = () => fail(new UploadAborted());
    signal.addEventListener('abort', () => reader.abort());
    reader.readAsDataURL(file);
  });
}

/**
 * Returns a replacement for fetch that reports upload progress.
 * @param {{progress: (part: number) => void, signal: AbortSignal}} options
 */
export const sendWithProgress = ({ progress, signal }) => (url, { method, headers, body }) =>
  new Promise((done, fail) => {
  const request = new XMLHttpRequest();
  request.open(method, url);
  for (const [name, value] of Object.entries(headers)) {
    request.setRequestHeader(name, value);
  }
  request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
  request.upload.onload = () => progress(1);
  request.onload = () => done({ status: request.status, json: async () => JSON.parse(request.responseText) });
  request.onerror = () => fail(new TypeError('The request failed.'));
  request.onabort = () => fail(new UploadAborted());
  signal.addEventListener('abort', () => request.abort());
  request.send(body);
});
