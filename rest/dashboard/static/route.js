// Addresses: routes and queries.

export const root = '/dashboard';

/**
 * Finds the page of a path.
 * @param {[string, any][]} table patterns such as "/orders/:id", with their pages
 * @param {string} path
 * @returns {{page: any, params: Object<string, string>}|null}
 */
export function match(table, path) {
  const given = parts(path.startsWith(root) ? path.slice(root.length) : path);
  for (const [pattern, page] of table) {
    const wanted = parts(pattern);
    const params = {};
    const fits = wanted.length === given.length && wanted.every((w, i) => {
      if (!w.startsWith(':')) {
        return w === given[i];
      }
      try {
        params[w.slice(1)] = decodeURIComponent(given[i]);
        return true;
      } catch {
        return false; // invalid encoding
      }
    });
    if (fits) {
      return { page, params };
    }
  }
  return null;
}

const parts = (path) => path.split('/').filter(Boolean);

/** The address of a page, without empty query parameters. */
export function to(path, query = {}) {
  const q = new URLSearchParams(Object.entries(query).filter(([, v]) => v !== '' && v != null));
  const text = q.toString();
  return root + path + (text ? '?' + text : '');
}
