// The texts of the emails to shoppers, by language.
import { html, useState } from '../lib.js';
import { useApp, useFilters, useQuery } from '../context.js';
import { messageOf } from '../api.js';
import { Alert, Badge, Page, Card, Copyable, Facts, Pending, Time, Button } from '../ui.js';
import { ActionButton, Area, Field, Form, FormDialog, ConfirmMutation, optionalNumber, text, useAction,
  useMutation, errors } from '../form.js';
import { ConnectionLost, usePoll } from '../live.js';
import { languageName, useCached } from '../countries.js';
import { emailNames } from '../order_state.js';
import { settings } from '../selling.js';
import { to } from '../route.js';

const read = `query OrderEmailTexts($language: Language!) { orderEmailTexts(language: $language) {
  email subject intro closing defaultSubject defaultIntro variables version } }`;
const save = `mutation OrderEmailTextSet($expectedVersion: Long!, $input: OrderEmailTextInput!) {
  orderEmailTextSet(expectedVersion: $expectedVersion, input: $input) { text { version } ${errors} } }`;
const reset = `mutation OrderEmailTextReset($expectedVersion: Long!, $email: OrderEmail!, $language: Language!) {
  orderEmailTextReset(expectedVersion: $expectedVersion, email: $email, language: $language) {
    text { version } ${errors} } }`;
const preview = `mutation OrderEmailPreview($input: OrderEmailTextInput!, $send: Boolean!) {
  orderEmailPreview(input: $input, send: $send) { preview { subject text } ${errors} } }`;

const readSending = `{ emailSending { allowed
  sender { address txtName txtValue provedAt problem checkedAt checking } } }`;
const set = `mutation EmailSenderSet($address: String!) { emailSenderSet(address: $address) { ${errors} } }`;
const check = `mutation EmailSenderCheck { emailSenderCheck { ${errors} } }`;
const remove = `mutation EmailSenderRemove { emailSenderRemove { ${errors} } }`;

const readReminders = '{ cartReminders { sent recovered } }';
const setReminders = `mutation StoreUpdate($input: StoreUpdateInput!) {
  storeUpdate(input: $input) { store { id } ${errors} } }`;

const Tabs = ({ label, options, value, address }) => html`<nav class="tabs all" aria-label=${label}><ul>
  ${options.map(([v, text]) => html`<li key=${v}><a href=${address(v)}
    aria-current=${v === value ? 'page' : undefined}>${text}</a></li>`)}</ul></nav>`;

export function Emails() {
  const { store } = useApp();
  const { email = 'PLACED', language = store.language } = useFilters();
  const languages = useCached('{ languages }')?.languages ?? [language];
  const query = useQuery(read, { language });
  const now = query.data?.orderEmailTexts.find((t) => t.email === email);
  return html`<${Page} title="Emails to shoppers" back=${settings}
    lead="Each email also lists what was bought, how it is shipped and how it is paid.">
    <${Card} title="Texts" name="emails">
      <${Tabs} label="Emails" options=${Object.entries(emailNames)} value=${email}
        address=${(v) => to('/settings/emails', { email: v, language })} />
      <${Tabs} label="Languages" options=${languages.map((l) => [l, languageName(l)])} value=${language}
        address=${(v) => to('/settings/emails', { email, language: v })} />
      ${!now ? html`<${Pending} of=${query} rows=${4} />`
        : html`<${Texts} key=${email + language + now.version} now=${now} language=${language}
            reload=${query.reload} />`}
    <//>
    <${Reminders} />
    <${Sending} />
  <//>`;
}

/** When shoppers are reminded of carts that they did not order, and how many of these were ordered. */
function Reminders() {
  const { store, refresh } = useApp();
  const count = useQuery(readReminders).data?.cartReminders;
  const action = useAction(setReminders, (v) => ({ input: { expectedVersion: store.version,
    remindHours: optionalNumber(v, 'remindHours') } }), 'Cart reminders saved.', refresh);
  return html`<${Card} title="Cart reminders" name="reminders">
    <p>Shoppers get one email about a cart that they did not order, if they ask for it in the checkout or subscribed to
      your marketing emails. Each email has a link to unsubscribe.</p>
    <${Form} name="reminders" submit="Save" action=${action} onStale=${refresh}>
      <${Field} key=${store.remindHours} name="remindHours" label="Hours after the last change" optional
        inputmode="numeric" value=${store.remindHours ?? ''} hint="From 1 to 72. Leave empty to send no reminders." />
    <//>
    <p class="muted" data-test="reminders-count">In the last 30 days: ${count?.sent.toLocaleString() ?? '…'} sent,
      ${' '}${count?.recovered.toLocaleString() ?? '…'} of these carts ordered.</p>
  <//>`;
}

/** The address that emails come from, if the operator allows one of the store's own. */
function Sending() {
  const query = useQuery(readSending);
  const [dialog, setDialog] = useState('');
  const close = () => setDialog('');
  const run = useMutation(check, { once: false });
  const { allowed, sender: s } = query.data?.emailSending ?? {};
  usePoll(query, s?.checking ?? false);
  const checkNow = async () => {
    await run({});
    query.refresh();
  };
  if (!allowed) {
    return null;
  }
  const actions = html`
    ${s && html`<${ActionButton} kind="small" run=${checkNow} done=${'Checking ' + s.address + '.'}
      test="sender-check">Check now<//>`}
    <${Button} kind="small" act=${() => setDialog('set')} test="sender-set">${s ? 'Change' : 'Use your own address'}<//>
    ${s && html`<${Button} kind="small danger-quiet" act=${() => setDialog('remove')}
      test="sender-remove">Remove<//>`}`;
  return html`<${Card} title="Sender" name="sender" actions=${actions}>
    <${ConnectionLost} query=${query} />
    ${!s ? html`<p>Emails come from the address of this service. Use your own, such as shop@example.com.</p>`
      : html`<${Facts} rows=${[['Address', s.address],
          ['Status', html`<span role="status">${s.provedAt ? html`<${Badge} value="ACTIVE" text="In use" />`
            : html`<${Badge} value="PENDING" text="Waiting for the DNS record" />`}</span>`],
          ['Last check', s.checking ? 'Checking…' : html`<${Time} at=${s.checkedAt} how="second" />`]]} />
        ${s.problem && html`<${Alert} tone="info">${s.problem}<//>`}
        <p>Add this TXT record at the company where you registered the domain, and keep it. It is the key with which
          mail programs verify your emails (DKIM). Without it, emails come from the address of this service.</p>
        <${Facts} rows=${[['Name', html`<${Copyable} text=${s.txtName} />`],
          ['Value', html`<${Copyable} text=${s.txtValue} />`]]} />`}
    ${dialog === 'set' && html`<${SetSender} now=${s} onClose=${close} changed=${query.refresh} />`}
    ${dialog === 'remove' && html`<${ConfirmMutation} title="Remove the address?" name="sender-remove" submit="Remove"
      document=${remove} variables=${{}} done="Address removed." changed=${query.refresh} onClose=${close}>
      <p>Emails come from the address of this service again. The DNS record is no longer needed.</p><//>`}
  <//>`;
}

function SetSender({ now, onClose, changed }) {
  const action = useAction(set, (v) => ({ address: text(v, 'address') ?? '' }), 'Address saved.', changed);
  return html`<${FormDialog} title="Send from your own address" name="sender" submit="Save" onClose=${onClose}
    action=${action}>
    <${Field} name="address" label="Email address" type="email" required maxlength="254" autocomplete="off"
      value=${now?.address} hint="For example, shop@example.com. Another domain needs another DNS record." />
  <//>`;
}

function Texts({ now, language, reload }) {
  const { notify } = useApp();
  const [shown, setShown] = useState(null);
  const [wrong, setWrong] = useState('');
  const [resetting, setResetting] = useState(false);
  const compose = useMutation(preview);
  const input = (v) => ({ email: now.email, language, subject: v.get('subject') ?? '', intro: v.get('intro') ?? '',
    closing: v.get('closing') ?? '' });
  const action = useAction(save, (v) => ({ expectedVersion: now.version, input: input(v) }), 'Texts saved.', reload);
  const show = (send) => async (e) => {
    const values = new FormData(e.currentTarget.form);
    setWrong('');
    try {
      setShown((await compose({ input: input(values), send })).preview);
      if (send) {
        notify('Test email sent to you.');
      }
    } catch (err) {
      setWrong(messageOf(err)); // a note would cover the buttons
    }
  };
  const buttons = html`
    ${now.version > 0 && html`<${Button} act=${() => setResetting(true)} test="email-reset">Use the default<//>`}
    <${Button} act=${show(false)} test="email-preview">Preview<//>
    <${Button} act=${show(true)} test="email-test">Send me a test<//>`;
  return html`<${Form} name="email-texts" submit="Save" action=${action} extra=${buttons}>
      <${Field} name="subject" label="Subject" value=${now.subject} required maxlength="255" />
      <${Area} name="intro" label="Introduction" value=${now.intro} rows=${5} maxlength="4000"
        hint="Markdown, for example **bold** or [a link](https://…)." />
      <${Area} name="closing" label="Closing" optional value=${now.closing} rows=${3} maxlength="4000" />
      <p class="muted">Variables: ${now.variables.map((name) =>
        html`<code key=${name}>${'{{ ' + name + ' }}'}</code> `)}</p>
    <//>
    ${wrong && html`<${Alert}><p>${wrong}</p><//>`}
    ${shown && html`<section aria-label="Preview" aria-live="polite" data-test="email-shown"><h3>Preview</h3>
      <p class="strong"><bdi>${shown.subject}</bdi></p><p class="verbatim">${shown.text}</p></section>`}
    ${resetting && html`<${ConfirmMutation} title="Use the default texts?" name="email-reset" submit="Use the default"
      document=${reset} variables=${{ expectedVersion: now.version, email: now.email, language }}
      done="Default texts restored." changed=${reload} onClose=${() => setResetting(false)}>
      <p>Your texts of this email in this language are deleted.</p><//>`}`;
}
