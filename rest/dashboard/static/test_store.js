// Sample data and reset of a test store.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { Card, Button } from './ui.js';
import { Confirm, ConfirmMutation, useMutation } from './form.js';

const fill = `mutation TestStoreFill { testStoreFill { store { id } userErrors { code message path } } }`;
const reset = `mutation TestStoreReset { testStoreReset { removed more userErrors { code message path } } }`;

export function TestStore() {
  const [dialog, setDialog] = useState('');
  const close = () => setDialog('');
  return html`<${Card} title="Test store" name="test-store">
    <p>Nothing in this store is real: shoppers can only use test payments and get no emails, and search engines are kept
      out. Webhooks, exports and apps work as in any other store.</p>
    <div class="actions">
      <${Button} act=${() => setDialog('fill')} test="test-fill">Add sample data<//>
      <${Button} kind="danger" act=${() => setDialog('reset')} test="test-reset">Reset<//>
    </div>
    ${dialog === 'fill' && html`<${Fill} onClose=${close} />`}
    ${dialog === 'reset' && html`<${Reset} onClose=${close} />`}<//>`;
}

function Fill({ onClose }) {
  return html`<${ConfirmMutation} title="Add sample data?" name="test-fill" submit="Add sample data"
    danger=${false} document=${fill} variables=${{}} done="Sample data added." onClose=${onClose}>
    <p>Adds 12 products, 8 customers and 20 orders. Webhooks deliver their events like any others. If the store already
      has data, reset it first.</p><//>`;
}

function Reset({ onClose }) {
  const { notify } = useApp();
  const run = useMutation(reset);
  const action = async () => {
    let count = 0;
    for (let more = true; more;) {
      const done = await run({});
      count += done.removed;
      more = done.more;
    }
    notify(count === 1 ? '1 item removed.' : count.toLocaleString() + ' items removed.');
  };
  return html`<${Confirm} title="Reset the store?" name="test-reset" submit="Reset" onClose=${onClose} action=${action}>
    <p>All products, customers and orders are deleted, with their payments, carts and images.
      This cannot be undone.</p>
    <p>Settings, staff, keys, apps, webhooks, themes, pages, discounts, the event log, the audit log and finished
      exports stay.</p><//>`;
}
