// What each role allows. The server decides; this only hides what would be refused.

const all = ['OWNER', 'ADMIN', 'DEVELOPER', 'SUPPORT'];
const managers = ['OWNER', 'ADMIN'];
const developers = ['OWNER', 'ADMIN', 'DEVELOPER'];
const support = ['OWNER', 'ADMIN', 'SUPPORT'];

const table = {
  orders: support, notes: support, ship: support, money: managers,
  sales: support,
  products: all, editProducts: developers, pages: all, editPages: developers,
  customers: support, editCustomers: managers,
  keys: developers, apps: developers, events: developers, requests: developers, webhooks: developers,
  exports: managers, imports: managers, themes: developers, marketplace: developers, listings: managers,
  staff: managers, audit: managers, store: managers, owners: ['OWNER'],
  notifications: all, account: all,
};

export function allows(role, what) {
  return table[what]?.includes(role) ?? false;
}

export const roleNames = { OWNER: 'Owner', ADMIN: 'Admin', DEVELOPER: 'Developer', SUPPORT: 'Support' };
const roleTexts = {
  OWNER: 'Full access, including the store itself.',
  ADMIN: 'Full access except managing owners and closing the store.',
  DEVELOPER: 'Products, themes, keys, apps and webhooks.',
  SUPPORT: 'Views orders, customers and products; adds notes and fulfills orders.',
};

/** The roles that a member may assign, as options of a select. Only owners can assign the role of owner. */
export const roleOptions = (role) => (role === 'OWNER' ? all : all.slice(1))
  .map((r) => [r, roleNames[r] + ': ' + roleTexts[r]]);
