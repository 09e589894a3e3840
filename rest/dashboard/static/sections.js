// The sections of a theme's home page: a list of blocks in a form.
import { html, useState } from './lib.js';
import { useAll } from './context.js';
import { Button } from './ui.js';
import { Area, Field, useFieldError } from './form.js';
import { ListChoice, ProductChoice, ProductName } from './choices.js';
import { MediaField } from './media.js';
import { MoveButtons } from './rows.js';

const kinds = { image: 'Image with text', text: 'Text', collection: 'Collection', products: 'Products' };
const maxSections = 20;
const maxProducts = 12;
let last = 0; // the last key of a section

function parsed(value) {
  try {
    return JSON.parse(value || '[]').map((s) => ({ ...s, key: ++last }));
  } catch {
    return [];
  }
}

const written = (list) => (list.length === 0 ? '' : JSON.stringify(list.map(({ key, ...s }) =>
  Object.fromEntries(Object.entries(s).filter(([, v]) => v !== '')))));

/** The sections as the value of a setting. changed is called after each change that is no input. */
export function SectionsField({ name, label, value, changed }) {
  const [list, setList] = useState(() => parsed(value));
  const wrong = useFieldError(name);
  const set = (next) => {
    setList(next);
    changed();
  };
  const change = (i, part) => set(list.map((s, k) => (k === i ? { ...s, ...part } : s)));
  return html`<div class="field" role="group" aria-label=${label} data-test="sections">
    <span class="label">${label}</span>
    <p class="hint">Sections replace the theme’s own home page. Without any, it shows the newest products.</p>
    <input type="hidden" name=${name} value=${written(list)} />
    ${wrong && html`<p class="wrong" data-test="error-sections">${wrong.join(' ')}</p>`}
    <ol class="links" aria-label="Sections">${list.map((s, i) => html`<li key=${s.key} data-test="section">
      <p class="strong">${kinds[s.kind]}</p>
      <${Section} of=${s} at=${'section.' + i} change=${(part) => change(i, part)} />
      <${MoveButtons} title=${'section ' + (i + 1)} at=${i} items=${list} set=${set} test="section" /></li>`)}</ol>
    ${list.length < maxSections && html`<div class="actions">${Object.entries(kinds).map(([kind, title]) =>
      html`<${Button} key=${kind} kind="small" icon="plus" test=${'section-add-' + kind}
        label=${'Add section: ' + title} act=${() => set([...list, { kind, key: ++last }])}>${title}<//>`)}</div>`}
  </div>`;
}

function Section({ of: s, at, change }) {
  const typed = (member) => (e) => change({ [member]: e.target.value });
  return html`<div class="stack tight">
    ${s.kind === 'image' && html`<${MediaField} name=${at + '.image'} label="Image" value=${s.image ?? ''}
      changed=${(image) => change({ image })} />
      <${Field} name=${at + '.alt'} label="Description" optional value=${s.alt} maxlength="512"
        onInput=${typed('alt')} hint="Leave empty to use the description of the file." />`}
    ${s.kind === 'collection' && html`<${CollectionChoice} name=${at + '.collection'} value=${s.collection}
      choose=${(c) => change({ collection: c.id })} />`}
    <${Field} name=${at + '.title'} label="Title" optional value=${s.title} maxlength="255" onInput=${typed('title')} />
    <${Area} name=${at + '.text'} label="Text" optional value=${s.text} rows=${3} maxlength="2000"
      onInput=${typed('text')} />
    ${(s.kind === 'image' || s.kind === 'text') && html`<${Field} name=${at + '.link'} label="Link" optional
      value=${s.link} maxlength="2048" onInput=${typed('link')}
      hint="For example, /products, or a URL that starts with https://" />
      <${Field} name=${at + '.label'} label="Link text" optional value=${s.label} maxlength="255"
        onInput=${typed('label')} />`}
    ${s.kind === 'products' && html`<${Chosen} at=${at} ids=${s.products ?? []}
      set=${(products) => change({ products })} />`}
  </div>`;
}

function CollectionChoice(props) {
  const { nodes } = useAll('collections', 'id title');
  return nodes && html`<${ListChoice} label="Collection" nodes=${nodes} ...${props} />`;
}

function Chosen({ at, ids, set }) {
  return html`<ol class="links" aria-label="Products of the section">${ids.map((id, i) => html`<li key=${id}>
      <${ProductName} id=${id} />
      <${MoveButtons} title=${'product ' + (i + 1)} at=${i} items=${ids} set=${set}
        test="section-product" /></li>`)}</ol>
    ${ids.length < maxProducts && html`<${ProductChoice} name=${at + '.product'} label="Add a product" without=${ids}
      choose=${(p) => p.id && set([...ids, p.id])} />`}`;
}
