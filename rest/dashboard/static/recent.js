// What was looked at last in this tab: by one person, in one store.

const most = 8;
const keyOf = ({ account, store }) => 'recent ' + account.id + ' ' + store.id;

/** The pages that were looked at last, the latest first. @returns {{path: string, text: string}[]} */
export function recent(app) {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(app))) ?? [];
  } catch {
    return [];
  }
}

/** Notes that the page of one thing was looked at: one that has an id in its path. */
export function remember(app, path, text) {
  if (!/_[a-z0-9]+$/i.test(path)) {
    return;
  }
  const list = [{ path, text }, ...recent(app).filter((r) => r.path !== path)].slice(0, most);
  try {
    sessionStorage.setItem(keyOf(app), JSON.stringify(list));
  } catch { // the browser keeps nothing for this page
  }
}
