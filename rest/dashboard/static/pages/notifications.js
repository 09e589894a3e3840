// Notifications of the store.
import { html } from '../lib.js';
import { useApp, useQuery, useFilters } from '../context.js';
import { Page, Empty, Badge, Time, Pending } from '../ui.js';
import { ActionButton, useMutation } from '../form.js';
import { to } from '../route.js';
import { Pager } from '../list.js';

const list = `query Notifications($after: String) { unreadNotifications notifications(first: 25, after: $after) {
  nodes { id level title body resourceType resourceId readAt createdAt } pageInfo { hasNextPage endCursor } } }`;
const markRead = `mutation MarkRead($id: ID!) {
  notificationMarkRead(id: $id) { notification { id readAt } userErrors { code message path } } }`;
const markAll = `mutation MarkAll { notificationsMarkAllRead { count userErrors { code message path } } }`;

const resourcePages = {
  order: ['orders', '/orders/'], product: ['products', '/products/'], customer: ['customers', '/customers/'],
  webhook_endpoint: ['webhooks', '/webhooks/'], export: ['exports', '/exports/'], theme: ['themes', '/themes/'],
};

export function Notifications() {
  const { setUnread, unread } = useApp();
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  const all = useMutation(markAll);
  const { nodes = [], pageInfo = {} } = query.data?.notifications ?? {};
  const changed = (n) => {
    setUnread(n);
    query.reload();
  };
  const clear = async () => {
    await all({});
    changed(0);
  };
  const actions = html`<a class="button" href=${to('/notifications/settings')}>Choose notifications</a>
    ${nodes.some((n) => !n.readAt) && html`<${ActionButton} done="All notifications marked as read."
      data-test="mark-all" run=${clear}>Mark all as read<//>`}`;
  return html`<${Page} title="Notifications" actions=${actions}>
    <section class="card" aria-label="Notifications" data-test="notifications">
      ${!query.data ? html`<${Pending} of=${query} rows=${5} />`
        : nodes.length === 0
          ? html`<${Empty} icon="bell" title="No notifications">Important events of the store appear here.<//>`
        : html`<ul class="notices whole">${nodes.map((n) => html`<${Notice} key=${n.id} notice=${n}
            changed=${() => changed(Math.max(0, unread - 1))} />`)}</ul>`}
      <${Pager} info=${pageInfo} paged=${Boolean(f.after)} address=${(after) => to('/notifications', { after })} />
    </section>
  <//>`;
}

function Notice({ notice: n, changed }) {
  const { can } = useApp();
  const run = useMutation(markRead);
  const [needs, page] = resourcePages[n.resourceType] ?? [];
  const mark = async () => {
    await run({ id: n.id });
    changed();
  };
  return html`<li class=${n.readAt ? 'read' : 'unread'} data-id=${n.id}>
    <${Badge} value=${n.level} />
    <div class="grow"><p class="strong"><bdi>${n.title}</bdi></p><p class="verbatim">${n.body}</p>
      <p class="muted"><${Time} at=${n.createdAt} />
        ${page && can(needs) && n.resourceId &&
          html`, <a href=${to(page + encodeURIComponent(n.resourceId))}>see it</a>`}</p></div>
    ${!n.readAt && html`<${ActionButton} kind="small" done="Marked as read." data-test="mark-read"
      aria-label=${'Mark as read: ' + n.title} run=${mark}>Mark as read<//>`}
  </li>`;
}
