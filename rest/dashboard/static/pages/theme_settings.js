// The settings of a theme, next to a preview.
import { html, useEffect, useRef, useState } from '../lib.js';
import { useApp, useQuery } from '../context.js';
import { Page, Card, Empty, MissingPage } from '../ui.js';
import { Field, Form, Select, useMutation, errors } from '../form.js';
import { messageOf } from '../api.js';
import { MediaField } from '../media.js';
import { SectionsField } from '../sections.js';
import { NewTab, themePath } from '../theme_state.js';
import { to } from '../route.js';

const read = `query ThemeSettings($id: ID!) {
  theme(id: $id) { id name status previewUrl }
  themeSettings(themeId: $id) { name kind label options default value draft } }`;
const save = `mutation ThemeSettingsSave($id: ID!, $values: [ThemeSettingInput!]!, $publish: Boolean!) {
  themeSettingsSave(id: $id, values: $values, publish: $publish) { theme { id } ${errors} } }`;

/** milliseconds after the last input */
const previewDelay = 600;

export function ThemeSettings({ id }) {
  const { notify } = useApp();
  const query = useQuery(read, { id });
  const publish = useMutation(save);
  const draft = useMutation(save);
  const timer = useRef(0);
  const box = useRef(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const t = query.data?.theme;
  const list = query.data?.themeSettings;
  const back = { href: to(themePath(id)), text: t?.name ?? 'Theme' };
  if (!t) {
    return html`<${MissingPage} query=${query} name="Theme" icon="themes" back=${back} rows=${6} />`;
  }
  const values = (v) => list.map((s, i) => ({ name: s.name, value: v.get('values.' + i + '.value') ?? '' }));
  const follow = (form) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(async () => {
      try {
        await draft({ id, values: values(new FormData(form)), publish: false });
        setTurn((n) => n + 1);
      } catch (err) { // the input may be incomplete; errors are shown on publish
        messageOf(err);
      }
    }, previewDelay);
  };
  const action = async (v) => {
    clearTimeout(timer.current);
    await publish({ id, values: values(v), publish: true });
    notify(t.status === 'ACTIVE' ? 'Settings published. Shoppers see them within seconds.' : 'Settings saved.');
    setTurn((n) => n + 1);
  };
  return html`<${Page} title="Theme settings" back=${back}
    lead="The preview shows your changes. Shoppers see them after you publish."
    actions=${html`<${NewTab} href=${t.previewUrl} test="theme-preview">Preview in new tab<//>`}>
    ${list.length === 0
      ? html`<${Empty} icon="themes" title="No settings">This theme has no settings.<//>`
      : html`<div class="beside">
        <${Card} title="Settings" name="theme-settings">
          <div ref=${box} onInput=${(e) => follow(e.target.form)}>
            <${Form} name="theme-settings" submit="Publish" busyText="Publishing" action=${action} autosaved>
              ${list.map((s, i) => html`<${Setting} key=${s.name} of=${s} name=${'values.' + i + '.value'}
                changed=${() => requestAnimationFrame(() => follow(box.current.querySelector('form')))} />`)}
            <//>
          </div>
        <//>
        <section class="card flush live" aria-label="Preview">
          <iframe key=${turn} src=${t.previewUrl} title=${'Preview of ' + t.name} sandbox="allow-same-origin"
            data-test="live"></iframe>
        </section>
      </div>`}
  <//>`;
}

function Setting({ of: s, name, changed }) {
  if (s.kind === 'COLOR') {
    return html`<${Field} name=${name} label=${s.label} type="color" value=${s.draft} />`;
  }
  if (s.kind === 'CHOICE') {
    return html`<${Select} name=${name} label=${s.label} value=${s.draft} options=${s.options.map((o) => [o, o])} />`;
  }
  if (s.kind === 'TEXT' && s.name === 'home_sections') {
    return html`<${SectionsField} name=${name} label=${s.label} value=${s.draft} changed=${changed} />`;
  }
  if (s.kind === 'IMAGE') {
    return html`<${MediaField} name=${name} label=${s.label} value=${s.draft} also=${s.options ?? []}
      changed=${changed} />`;
  }
  return html`<${Field} name=${name} label=${s.label} value=${s.draft} optional maxlength="1000" />`;
}
