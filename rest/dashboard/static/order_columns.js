import { html } from './lib.js';
import { Badge, Money, Time } from './ui.js';
import { RowLink } from './list.js';
import { to } from './route.js';

export function orderColumns({ person = true } = {}) {
  const columns = [
    { name: 'number', head: 'Order', main: true,
      cell: (o) => html`<${RowLink} href=${to('/orders/' + o.id)}>#${o.number}<//>
        <span class="muted block">${o.externalNumber && html`<bdi>${o.externalNumber}</bdi>, `}
          <${Time} at=${o.placedAt} /></span>` },
    { name: 'customer', head: 'Customer', fold: 1,
      cell: (o) => html`<bdi class="clip">${o.customer?.displayName ?? o.email ?? 'No customer'}</bdi>` },
    { name: 'money', head: 'Payment', cell: (o) => html`<${Badge} value=${o.financialStatus}
        calm=${o.status === 'CANCELLED'} />` },
    { name: 'goods', head: 'Shipping', cell: (o) => html`<${Badge} value=${o.fulfillmentStatus}
        calm=${o.status === 'CANCELLED'} />` },
    { name: 'state', head: 'Status', fold: 2, cell: (o) => html`<${Badge} value=${o.status} />` },
    { name: 'total', head: 'Total', end: true,
      cell: (o) => html`<${Money} minor=${o.totalMinor} currency=${o.currency} />` },
  ];
  return person ? columns : columns.filter((c) => c.name !== 'customer');
}
