// A button that shows more buttons: what is done seldom.
import { html, useId, useLayoutEffect, useRef, useState } from './lib.js';
import { Icon } from './icons.js';

/**
 * A button with a list of buttons below it. Arrows move in the list, Escape and
 * leaving it close it.
 * @param {{label: string, items: ({text: string, act: () => void, danger?: boolean, test: string}|false)[],
 *   test?: string}} props
 */
export function Menu({ label, items, test }) {
  const [open, set] = useState(false);
  const box = useRef(null);
  const id = useId();
  const buttons = () => [...box.current.querySelectorAll('.menu-list button')];
  const close = () => {
    set(false);
    box.current.firstElementChild.focus(); // a dialog gives the focus back to what had it
  };
  useLayoutEffect(() => {
    if (open) {
      buttons()[0]?.focus();
    }
  }, [open]);
  const step = (e) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (e.key === 'Escape' && open) {
      e.stopPropagation();
      close();
    } else if (by) {
      e.preventDefault();
      if (!open) {
        set(true);
        return;
      }
      const all = buttons();
      all.at((all.indexOf(document.activeElement) + by) % all.length).focus();
    }
  };
  const left = (e) => {
    if (!box.current?.contains(e.relatedTarget)) { // without a box once the menu is gone
      set(false);
    }
  };
  return html`<div class="menu-box" ref=${box} onKeyDown=${step} onFocusOut=${left}>
    <button type="button" class="button small square" aria-label=${label} aria-expanded=${open ? 'true' : 'false'}
      aria-controls=${id} onClick=${() => set(!open)} data-test=${test}><${Icon} name="more" size="16" /></button>
    <ul class="menu-list" id=${id} hidden=${!open}>${items.filter(Boolean).map((i) => html`<li key=${i.test}>
      <button type="button" class=${i.danger ? 'bad' : ''} data-test=${i.test} onClick=${() => {
        close();
        i.act();
      }}>${i.text}</button></li>`)}</ul>
  </div>`;
}
