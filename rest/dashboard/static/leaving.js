// Going from page to page: each is found again where it was left, and nothing that was typed is lost on the way.

const typed = new Set(); // of functions that say whether something would be lost
let ask = () => {}; // asks the person whether to leave
let place = history.state?.place ?? 0; // how far this entry of the history is from the first
let returning = false; // back to an entry that is not to be left
let resting = 0; // notes where the page is scrolled to
let leaving = false; // the person has said that they want to

history.scrollRestoration = 'manual'; // a list has its height only once it is read

const unsaved = () => !leaving && [...typed].some((f) => f());

/** Asks f before the page is left, whether something would be lost. Returns how to ask no more. */
export function guard(f) {
  typed.add(f);
  return () => typed.delete(f);
}

/** Says how a person is asked whether to leave; the function gets what to do if so. */
export function setLeavePrompt(f) {
  ask = f;
}

/** Does what loses all that is typed: at once, or when the person agrees. */
export function leave(act) {
  if (unsaved()) {
    ask(act);
  } else {
    act();
  }
}

const note = () => history.replaceState({ ...history.state, place, top: scrollY }, '');

function move(address, replace) {
  const from = location.href;
  if (!replace) {
    note();
    place += 1;
  }
  history[replace ? 'replaceState' : 'pushState']({ place, top: 0 }, '', address);
  if (start(from) !== start(location.href)) {
    scrollTo(0, 0);
  }
  dispatchEvent(new Event('moved'));
}

/** What of an address is another beginning: its path, and the page of a list. */
function start(address) {
  const url = new URL(address);
  return url.pathname + '?' + (url.searchParams.get('after') ?? '');
}

/** Goes to another address of the dashboard. */
export function go(address, { replace = false } = {}) {
  const elsewhere = new URL(address, location.href).pathname !== location.pathname;
  if (elsewhere) {
    leave(() => move(address, replace));
  } else {
    move(address, replace);
  }
}

/** Scrolls to where the entry was left, as soon as the page is high enough. */
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
  const [to, by] = [e.state?.place ?? 0, (e.state?.place ?? 0) - place];
  if (returning) {
    returning = false;
    e.stopImmediatePropagation();
  } else if (by !== 0 && unsaved()) {
    e.stopImmediatePropagation();
    returning = true;
    history.go(-by);
    ask(() => {
      leaving = true;
      history.go(by);
    });
  } else {
    leaving = false;
    place = to;
    clearTimeout(resting); // it would note the place of another entry
    restore(e.state?.top ?? 0);
  }
});

addEventListener('beforeunload', (e) => unsaved() && e.preventDefault());

addEventListener('scroll', () => {
  clearTimeout(resting);
  resting = setTimeout(note, 150);
}, { passive: true });

if (history.state?.top > 0) {
  restore(history.state.top);
}
