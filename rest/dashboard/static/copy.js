// Copying values and opening them in the store.
import { html } from './lib.js';
import { useApp } from './context.js';
import { Icon } from './icons.js';

/** A value with a button that copies it. what names the value: "the ID". */
export function CopyValue({ text, what, children }) {
  const { notify } = useApp();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      notify('Copied ' + what + '.');
    } catch { // not a secure origin, or not permitted
      notify('The browser blocked copying. Select ' + what + ' and press Ctrl+C.', 'bad');
    }
  };
  return html`<span class="copies">${children ?? html`<code class="id">${text}</code>`}
    <button type="button" class="icon-button" aria-label=${'Copy ' + what} title=${'Copy ' + what} onClick=${copy}
      data-test="copy"><${Icon} name="copy" size="16" /></button></span>`;
}

export function ViewInStore({ path }) {
  const { store } = useApp();
  return html`<a class="button" href=${location.protocol + '//' + store.storeHost + path} target="_blank" rel="noopener"
    data-test="view-in-store"><${Icon} name="open" size="16" />View in store</a>`;
}
