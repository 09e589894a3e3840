// A click counts for what was pressed. To press a button ends the field that was being edited, which
// may show or hide lines above the button: it moves away, and the browser gives the click to what
// lies under the pointer then.

const active = 'button, a[href], summary, label, input, select';
let pressed = null; // what was pressed, and where

function press(e) {
  const on = e.isPrimary && e.button === 0 && e.target.closest?.(active);
  pressed = on ? { on, x: e.clientX, y: e.clientY } : null;
}

function click(e) {
  const p = pressed;
  pressed = null;
  const moved = p && (Math.abs(e.clientX - p.x) > 4 || Math.abs(e.clientY - p.y) > 4); // by hand
  if (!p || !e.isTrusted || moved || p.on.contains(e.target) || !e.target.contains(p.on)) {
    return;
  }
  e.stopImmediatePropagation();
  e.preventDefault();
  p.on.focus();
  p.on.click();
}

/** Starts to redirect clicks to the pressed element. */
export function keepClickTarget() {
  addEventListener('pointerdown', press, true);
  addEventListener('click', click, true);
}
