// How the person is notified of what happens in the store.
import { html } from '../lib.js';
import { useApp, useQuery } from '../context.js';
import { Page, Card, Pending } from '../ui.js';
import { Check, Form, Select, useAction, errors } from '../form.js';
import { to } from '../route.js';

const read = '{ account { alerts { topic notice email } } }';
const save = `mutation StaffSetAlerts($alerts: [AlertInput!]!) {
  staffSetAlerts(alerts: $alerts) { staff { id } ${errors} } }`;

const titles = { ORDER: 'New orders', PAYMENT: 'Payments', REFUND: 'Refunds', LOW_STOCK: 'Low stock',
  WEBHOOK: 'Failing webhooks' };
const hints = { ORDER: 'At most ten emails per hour, then one summary.',
  LOW_STOCK: 'Managers set the stock from which you are notified in the settings of the store.' };
const times = [['OFF', 'No emails'], ['AT_ONCE', 'At once'], ['DAILY', 'In a daily summary']];

export function Alerts() {
  const { account } = useApp();
  const query = useQuery(read);
  const alerts = query.data?.account.alerts;
  const action = useAction(save, (v) => ({ alerts: alerts.map(({ topic }) => ({
    topic, notice: v.get(topic + '.notice') === 'on', email: v.get(topic + '.email'),
  })) }), 'Notifications saved.', query.reload);
  return html`<${Page} title="Choose notifications" back=${{ href: to('/notifications'), text: 'Notifications' }}
    lead="These are your own choices for this store. Other staff choose theirs.">
    <${Card} title="Topics" name="alerts">
      ${!alerts ? html`<${Pending} of=${query} rows=${5} />`
        : html`<${Form} name="alerts" submit="Save" action=${action}>
            ${alerts.map((a) => html`<fieldset key=${a.topic} class="stack">
              <legend class="strong">${titles[a.topic]}</legend>
              <${Check} name=${a.topic + '.notice'} label="Show in the dashboard" value=${a.notice} />
              <${Select} name=${a.topic + '.email'} label="Emails" options=${times} value=${a.email}
                hint=${hints[a.topic]} /></fieldset>`)}
            ${!account.mailPossible && html`<p class="muted">This service currently sends no email.</p>`}
            <p class="muted">Daily summaries are sent at 8:00 in the time zone of the store.</p>
          <//>`}
    <//>
  <//>`;
}
