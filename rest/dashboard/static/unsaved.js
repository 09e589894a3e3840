// What a person has typed and not saved: how a form knows, and what is asked before it is lost.
import { html, useEffect, useRef, useState } from './lib.js';
import { setLeavePrompt, guard } from './leaving.js';
import { Dialog } from './ui.js';

const signature = (form) => JSON.stringify([...new FormData(form)].map(([k, v]) => [k, v.name ?? v]));

/**
 * Watches a form: whether it holds something else than at the beginning. What changes without the person, as after
 * a save, is a new beginning. While held is true nothing is lost by leaving.
 * @returns {{dirty: boolean, rebase: () => void, hold: (held: boolean) => void}}
 */
export function useUnsaved(ref, kept) {
  const [dirty, set] = useState(false);
  const own = useRef({ before: '', touched: false, held: false, dirty: false }).current;
  const check = () => {
    const now = ref.current ? signature(ref.current) : own.before;
    own.before = own.touched ? own.before : now;
    own.dirty = now !== own.before;
    set(own.dirty);
  };
  useEffect(() => {
    const form = ref.current;
    const touch = () => {
      own.touched = true;
      check();
    };
    check();
    const watch = new MutationObserver(check); // rows come and go
    watch.observe(form, { childList: true, subtree: true });
    const kinds = ['pointerdown', 'keydown', 'input', 'change'];
    kinds.forEach((k) => form.addEventListener(k, touch));
    const free = guard(() => own.dirty && !own.held && !kept);
    return () => {
      watch.disconnect();
      kinds.forEach((k) => form.removeEventListener(k, touch));
      free();
    };
  }, []);
  return {
    dirty: dirty && !kept,
    rebase: () => {
      own.touched = false;
      check();
    },
    hold: (held) => {
      own.held = held;
    },
  };
}

/** Asks whether to leave what would be lost. */
export function Leaving() {
  const [next, set] = useState(null);
  useEffect(() => setLeavePrompt((f) => set(() => f)), []);
  const close = () => set(null);
  const leave = () => {
    close();
    next();
  };
  return next && html`<${Dialog} title="Leave without saving?" onClose=${close} name="leaving">
    <p>You have unsaved changes on this page.</p>
    <div class="form-end">
      <button type="button" class="button danger" onClick=${leave} data-test="leave">Leave without saving</button>
      <button type="button" class="button primary" autofocus onClick=${close} data-test="stay">Keep editing</button>
    </div>
  <//>`;
}
