// The texts of the emails to shoppers, by language.
import { html, useState } from '../lib.js';
import { useApp, useFilters, useQuery } from '../context.js';
import { messageOf } from '../api.js';
import { Alert, Page, Card, Pending, Button } from '../ui.js';
import { Area, Field, Form, ConfirmMutation, useAction, useMutation, errors } from '../form.js';
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
