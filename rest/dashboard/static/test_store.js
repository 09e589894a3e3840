// What can be done with a test store alone: fill it with samples, and empty it.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { Card } from './ui.js';
import { Confirm, useMutation } from './form.js';

const fill = `mutation TestStoreFill { testStoreFill { store { id } userErrors { code message path } } }`;
const reset = `mutation TestStoreReset { testStoreReset { removed more userErrors { code message path } } }`;

export function TestStore() {
  const [asked, ask] = useState('');
  const close = () => ask('');
  return html`<${Card} title="Test store" name="test-store">
    <p>Nothing in this store is real: shoppers can only use test payments and get no emails, and search engines are kept
      out. Webhooks, exports and apps work as in any other.</p>
    <div class="actions">
      <button type="button" class="button" onClick=${() => ask('fill')} data-test="test-fill">Add sample data</button>
      <button type="button" class="button danger" onClick=${() => ask('reset')} data-test="test-reset">Reset</button>
    </div>
    ${asked === 'fill' && html`<${Fill} onClose=${close} />`}
    ${asked === 'reset' && html`<${Reset} onClose=${close} />`}<//>`;
}

function Fill({ onClose }) {
  const { notify } = useApp();
  const run = useMutation(fill);
  const action = async () => {
    await run({});
    notify('Sample data added.');
  };
  return html`<${Confirm} title="Add sample data?" name="test-fill" submit="Add sample data"
    danger=${false} onClose=${onClose} action=${action}>
    <p>It gets 12 products, 8 customers and 20 orders, each with its events, which webhooks deliver as if people had
      made them. Reset a store that already has data first.</p><//>`;
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
