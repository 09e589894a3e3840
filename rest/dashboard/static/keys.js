// Keyboard shortcuts of single keys. They do nothing while the person types and can be turned off
// (WCAG 2.1.4).
import { useEffect, useRef } from './lib.js';

const offKey = 'shortcuts off';

/** Whether shortcuts are on in this browser. */
export function keysOn() {
  try {
    return localStorage.getItem(offKey) === null;
  } catch {
    return true;
  }
}

/** Turns shortcuts on or off in this browser. Throws if the browser stores nothing. */
export function setKeys(on) {
  if (on) {
    localStorage.removeItem(offKey);
  } else {
    localStorage.setItem(offKey, '1');
  }
}

const typing = 'input:not([type="checkbox"]), select, textarea, [contenteditable]';

/**
 * Runs the function of a pressed key. A function that returns false leaves the key to the browser.
 * @param {Object<string, false|(() => boolean|void)>} keys functions by KeyboardEvent.key
 */
export function useKeys(keys) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (e) => {
      const act = Object.hasOwn(latest.current, e.key) && latest.current[e.key];
      const taken = e.defaultPrevented || e.isComposing || e.ctrlKey || e.metaKey || e.altKey;
      if (act && !taken && !e.target.closest?.(typing) && !document.querySelector('dialog[open]') && keysOn() &&
          act() !== false) {
        e.preventDefault();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
