// The stores of a person, and creating another one.
import { html, useEffect, useState } from './lib.js';
import { useApp } from './context.js';
import { Badge, Card, Button } from './ui.js';
import { Check, Field, FormDialog, Select, text, useMutation } from './form.js';
import { currencies, currencyOf } from './money.js';
import { likelyCountry } from './countries.js';
import { roleNames } from './role.js';

const create = `mutation StoreCreate($input: StoreCreateInput!) {
  storeCreate(input: $input) { store { id } userErrors { code message path } } }`;

const zones = Intl.supportedValuesOf?.('timeZone') ?? [];

export function Zone(props) {
  return html`<${Field} name="timezone" label="Time zone" required maxlength="64" list="zones" autocomplete="off"
      spellcheck=${false} hint="For example, Europe/Vienna. Used for reports and times." ...${props} />
    <datalist id="zones">${zones.map((z) => html`<option key=${z} value=${z}></option>`)}</datalist>`;
}

/** The person's stores. Owners can create another one. */
export function Stores() {
  const { account, store, can, choose } = useApp();
  const [creating, setCreating] = useState(false);
  const [newStoreId, setNewStoreId] = useState('');
  useEffect(() => {
    if (newStoreId) { // after the form has closed, so that nothing counts as unsaved
      choose(newStoreId);
    }
  }, [newStoreId]);
  if (account.memberships.length < 2 && !can('owners')) {
    return null;
  }
  return html`<${Card} title="Your stores" name="stores" actions=${can('owners') && html`<${Button} kind="small"
    act=${() => setCreating(true)} test="store-new">New store<//>`}>
    <ul class="link-list">${account.memberships.map((m) => html`<li key=${m.store.id}>
      <span class="grow"><bdi class="strong">${m.store.name}</bdi> <span
        class="muted">${roleNames[m.role] ?? m.role}</span> ${m.store.test && html`<${Badge} value="INFO"
        text="Test" />`} ${m.store.status === 'CLOSED' && html`<${Badge} value="INFO" text="Closed" />`}</span>
      ${m.store.id === store.id ? html`<span class="muted">Current</span>`
        : html`<${Button} kind="small" act=${() => choose(m.store.id)} label=${'Open ' + m.store.name}
          test="store-open">Open<//>`}</li>`)}</ul>
    ${creating && html`<${NewStore} onClose=${() => setCreating(false)} done=${setNewStoreId} />`}<//>`;
}

function NewStore({ onClose, done }) {
  const { store } = useApp();
  const own = [...new Set([currencyOf(likelyCountry()) ?? store.currency, store.currency])];
  const run = useMutation(create);
  const action = async (v) => {
    const made = await run({ input: { name: v.get('name'), handle: text(v, 'handle'), currency: v.get('currency'),
      timezone: (v.get('timezone') ?? '').trim(), test: v.get('test') === 'on' } });
    done(made.store.id);
  };
  return html`<${FormDialog} title="New store" name="store-new" submit="Create store"
    busyText="Creating" action=${action}
    onClose=${onClose}>
    <${Field} name="name" label="Name" required maxlength="255" />
    <${Field} name="handle" label="Address" optional maxlength="63" autocomplete="off" spellcheck=${false}
      hint="The shop\u2019s address starts with it. Use a-z, 0-9 and hyphens. Leave empty to use the name." />
    <div class="pair"><${Select} name="currency" label="Currency" value=${own[0]}
        options=${own.concat(currencies.filter((c) => !own.includes(c))).map((c) => [c, c])} />
      <${Zone} value=${store.timezone} /></div>
    <${Check} name="test" label="Test store" hint=${'Nothing in it is real: shoppers can only use test payments ' +
      'and get no emails, and search engines are kept out. You can add sample data and reset the store.'} />
    <p class="muted">The address, the currency and the test setting cannot be changed later.</p>
  <//>`;
}
