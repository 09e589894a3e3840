// Navigation: restores scroll positions and asks before unsaved changes are lost.

const guards = new Set(); // functions that report unsaved changes
let promptLeave = () => {}; // asks whether to leave
let position = history.state?.place ?? 0; // the index of this history entry
let returning = false; // going back to the entry that must not be left
let scrollTimer = 0; // saves the scroll position
let confirmed = false; // the person agreed to leave

history.scrollRestoration = 'manual'; // lists have their height only after loading

const hasUnsaved = () => !confirmed && [...guards].some((f) => f());

/** Registers a function that reports unsaved changes. Returns a function that unregisters it. */
export function guard(f) {
  guards.add(f);
  return () => guards.delete(f);
}

/** Sets how the person is asked whether to leave. f gets what to do if they agree. */
export function setLeavePrompt(f) {
  promptLeave = f;
}

/** Runs act, which discards unsaved changes: immediately, or after the person agrees. */
export function leave(act) {
  if (hasUnsaved()) {
    promptLeave(act);
  } else {
    act();
  }
}

const saveScroll = () => history.replaceState({ ...history.state, place: position, top: scrollY }, '');

function move(address, replace) {
  const from = location.href;
  if (!replace) {
    saveScroll();
    position += 1;
  }
  history[replace ? 'replaceState' : 'pushState']({ place: position, top: 0 }, '', address);
  if (scrollKey(from) !== scrollKey(location.href)) {
    scrollTo(0, 0);
  }
  dispatchEvent(new Event('moved'));
}

/** The part of an address whose change scrolls to the top: the path and the page of a list. */
function scrollKey(address) {
  const url = new URL(address);
  return url.pathname + '?' + (url.searchParams.get('after') ?? '');
}

/** Navigates to another address of the dashboard. */
export function go(address, { replace = false } = {}) {
  const elsewhere = new URL(address, location.href).pathname !== location.pathname;
  if (elsewhere) {
    leave(() => move(address, replace));
  } else {
    move(address, replace);
  }
}

/** Scrolls to a saved position as soon as the page is high enough. */
function restore(top) {
  let end = 0;
  const stop = () => {
    clearTimeout(end);
    watch.disconnect();
    ['wheel', 'touchmove', 'keydown', 'mousedown', 'moved'].forEach((e) => removeEventListener(e, stop));
  };
  const watch = new ResizeObserver(() => {
    scrollTo(0, top);
    if (scrollY >= top - 1) {
      stop();
    }
  });
  watch.observe(document.body);
  end = setTimeout(stop, 5000);
  ['wheel', 'touchmove', 'keydown', 'mousedown', 'moved'].forEach((e) => addEventListener(e, stop, { passive: true }));
}

addEventListener('popstate', (e) => {
  const [to, by] = [e.state?.place ?? 0, (e.state?.place ?? 0) - position];
  if (returning) {
    returning = false;
    e.stopImmediatePropagation();
  } else if (by !== 0 && hasUnsaved()) {
    e.stopImmediatePropagation();
    returning = true;
    history.go(-by);
    promptLeave(() => {
      confirmed = true;
      history.go(by);
    });
  } else {
    confirmed = false;
    position = to;
    clearTimeout(scrollTimer); // it would save the position of the other entry
    restore(e.state?.top ?? 0);
  }
});

addEventListener('beforeunload', (e) => hasUnsaved() && e.preventDefault());

addEventListener('scroll', () => {
  clearTimeout(scrollTimer);
  scrollTimer = setTimeout(saveScroll, 150);
}, { passive: true });

if (history.state?.top > 0) {
  restore(history.state.top);
}
