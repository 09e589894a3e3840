// What the roles reach. The server decides; this only keeps people from doors
// that would not open.

const all = ['OWNER', 'ADMIN', 'DEVELOPER', 'SUPPORT'];
const managers = ['OWNER', 'ADMIN'];
const makers = ['OWNER', 'ADMIN', 'DEVELOPER'];
const counter = ['OWNER', 'ADMIN', 'SUPPORT'];

const table = {
  orders: counter, notes: counter, ship: counter, money: managers,
  sales: counter,
  products: all, editProducts: makers, pages: all, editPages: makers,
  customers: counter, editCustomers: managers,
  keys: makers, apps: makers, events: makers, requests: makers, webhooks: makers,
  exports: managers, themes: makers, marketplace: makers, listings: managers,
  staff: managers, audit: managers, store: managers, owners: ['OWNER'],
  notifications: all, account: all,
};

/** Reports whether a role may do something. */
export function reaches(role, what) {
  return table[what]?.includes(role) ?? false;
}

/** The roles that a person of a role may give: nobody but owners makes owners. */
export function givable(role) {
  return role === 'OWNER' ? all : all.slice(1);
}

export const roleNames = { OWNER: 'Owner', ADMIN: 'Admin', DEVELOPER: 'Developer', SUPPORT: 'Support' };
export const roleTexts = {
  OWNER: 'Full access, including the store itself.',
  ADMIN: 'Full access except managing owners and closing the store.',
  DEVELOPER: 'Products, themes, keys, apps and webhooks.',
  SUPPORT: 'Views orders, customers and products; adds notes and fulfills orders.',
};

/** The choices for a role that a person of another one may give. */
export const roleOptions = (mine) => givable(mine).map((r) => [r, roleNames[r] + ': ' + roleTexts[r]]);
