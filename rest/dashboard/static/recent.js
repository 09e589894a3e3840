// Recently viewed pages of this tab, by person and store.

const maxRecent = 8;
const keyOf = ({ account, store }) => 'recent ' + account.id + ' ' + store.id;

/** The recently viewed pages, latest first. @returns {{path: string, text: string}[]} */
export function recent(app) {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(app))) ?? [];
  } catch {
    return [];
  }
}

/** Remembers that a page was viewed, if its path ends with an id. */
export function remember(app, path, text) {
  if (!/_[a-z0-9]+$/i.test(path)) {
    return;
  }
  const list = [{ path, text }, ...recent(app).filter((r) => r.path !== path)].slice(0, maxRecent);
  try {
    sessionStorage.setItem(keyOf(app), JSON.stringify(list));
  } catch { // storage is disabled
  }
}
