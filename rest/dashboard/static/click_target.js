// Keeps clicks on the pressed element. Pressing a button blurs the edited field, which may show or
// hide an error above the button and move it. The browser would then send the click to whatever is
// under the pointer.

const active = 'button, a[href], summary, label, input, select';
let pressed = null; // the pressed element and the pointer's position

function press(e) {
  const on = e.isPrimary && e.button === 0 && e.target.closest?.(active);
  pressed = on ? { on, x: e.clientX, y: e.clientY } : null;
}

function click(e) {
  const p = pressed;
  pressed = null;
  const moved = p && (Math.abs(e.clientX - p.x) > 4 || Math.abs(e.clientY - p.y) > 4); // dragged
  if (!p || !e.isTrusted || moved || p.on.contains(e.target) || !e.target.contains(p.on)) {
    return;
  }
  e.stopImmediatePropagation();
  e.preventDefault();
  p.on.focus();
  p.on.click();
}

export function keepClickTarget() {
  addEventListener('pointerdown', press, true);
  addEventListener('click', click, true);
}
