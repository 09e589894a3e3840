// The list from which an order was opened, so that its page leads to the next and the previous one.
// It is kept for the tab and the store.
import { to } from './route.js';

const keyOf = (store) => 'walk ' + store.id;

function read(store) {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(store))) ?? { ids: [], list: '' };
  } catch {
    return { ids: [], list: '' };
  }
}

/** Remembers the orders of a list, and its address. */
export function keepWalk(store, ids, list) {
  try {
    const { last } = read(store);
    sessionStorage.setItem(keyOf(store), JSON.stringify({ ids, list, last }));
  } catch { // storage is disabled
  }
}

/** Remembers the order that was viewed last. */
export function visit(store, id) {
  try {
    sessionStorage.setItem(keyOf(store), JSON.stringify({ ...read(store), last: id }));
  } catch { // storage is disabled
  }
}

/** The order that was viewed last, undefined if none was. */
export const lastVisited = (store) => read(store).last;

/** The addresses around an order of the list; those of missing orders are undefined. */
export function around(store, id) {
  const { ids, list } = read(store);
  const i = ids.indexOf(id);
  const address = (order) => order && to('/orders/' + order);
  return i < 0 ? { list: to('/orders') } : { list, previous: address(ids[i - 1]), next: address(ids[i + 1]) };
}
