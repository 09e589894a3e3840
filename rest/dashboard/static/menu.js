// A button that opens a list of rarely used actions.
import { html, useId, useLayoutEffect, useRef, useState } from './lib.js';
import { Button } from './ui.js';

/**
 * A menu. The arrow keys move in it; Escape and losing the focus close it.
 * @param {{label: string, items: ({text: string, act: () => void, danger?: boolean, test: string}|false)[],
 *   test?: string}} props
 */
export function Menu({ label, items, test }) {
  const [open, setOpen] = useState(false);
  const box = useRef(null);
  const id = useId();
  const buttons = () => [...box.current.querySelectorAll('.menu-list button')];
  const close = () => {
    setOpen(false);
    box.current.firstElementChild.focus(); // a dialog returns the focus to the element that had it
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
        setOpen(true);
        return;
      }
      const all = buttons();
      all.at((all.indexOf(document.activeElement) + by) % all.length).focus();
    }
  };
  const left = (e) => {
    if (!box.current?.contains(e.relatedTarget)) { // the box is gone once the menu is unmounted
      setOpen(false);
    }
  };
  return html`<div class="menu-box" ref=${box} onKeyDown=${step} onFocusOut=${left}>
    <${Button} kind="small square" icon="more" label=${label} aria-expanded=${open ? 'true' : 'false'}
      aria-controls=${id} act=${() => setOpen(!open)} test=${test}><//>
    <ul class="menu-list" id=${id} hidden=${!open}>${items.filter(Boolean).map((i) => html`<li key=${i.test}>
      <button type="button" class=${i.danger ? 'bad' : ''} data-test=${i.test} onClick=${() => {
        close();
        i.act();
      }}>${i.text}</button></li>`)}</ul>
  </div>`;
}
