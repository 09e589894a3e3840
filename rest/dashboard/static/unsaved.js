// Unsaved changes of forms.
import { html, useEffect, useRef, useState } from './lib.js';
import { setLeavePrompt, guard } from './leaving.js';
import { Dialog, Button } from './ui.js';

const formState = (form) => JSON.stringify([...new FormData(form)].map(([k, v]) => [k, v.name ?? v]));

/**
 * Watches a form for unsaved changes. Changes without user input, such as after a save, become the
 * new baseline. While held is true, leaving does not ask.
 * @returns {{dirty: boolean, rebase: () => void, hold: (held: boolean) => void}}
 */
export function useUnsaved(ref, autosaved) {
  const [dirty, setDirty] = useState(false);
  const own = useRef({ before: '', touched: false, held: false, dirty: false }).current;
  const check = () => {
    const now = ref.current ? formState(ref.current) : own.before;
    own.before = own.touched ? own.before : now;
    own.dirty = now !== own.before;
    setDirty(own.dirty);
  };
  useEffect(() => {
    const form = ref.current;
    const touch = () => {
      own.touched = true;
      check();
    };
    check();
    const watch = new MutationObserver(check); // rows were added or removed
    watch.observe(form, { childList: true, subtree: true });
    const kinds = ['pointerdown', 'keydown', 'input', 'change'];
    kinds.forEach((k) => form.addEventListener(k, touch));
    const free = guard(() => own.dirty && !own.held && !autosaved);
    return () => {
      watch.disconnect();
      kinds.forEach((k) => form.removeEventListener(k, touch));
      free();
    };
  }, []);
  return {
    dirty: dirty && !autosaved,
    rebase: () => {
      own.touched = false;
      check();
    },
    hold: (held) => {
      own.held = held;
    },
  };
}

export function LeaveDialog() {
  const [next, setNext] = useState(null);
  useEffect(() => setLeavePrompt((f) => setNext(() => f)), []);
  const close = () => setNext(null);
  const leave = () => {
    close();
    next();
  };
  return next && html`<${Dialog} title="Leave without saving?" onClose=${close} name="leaving">
    <p>You have unsaved changes on this page.</p>
    <div class="form-end">
      <${Button} kind="danger" act=${leave} test="leave">Leave without saving<//>
      <${Button} kind="primary" autofocus act=${close} test="stay">Keep editing<//>
    </div>
  <//>`;
}
