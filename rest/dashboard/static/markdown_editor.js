// Edits Markdown: a text area with buttons for its marks, and a preview.
import { html, useRef, useState } from './lib.js';
import { send } from './api.js';
import { Area, ActionButton } from './form.js';
import { MediaPicker, pathOf } from './media.js';
import { markup } from './markup.js';
import { Button } from './ui.js';

const preview = 'query PagePreview($body: String!) { pagePreview(body: $body) }';

/** Replaces a part of a text as if it had been typed, so that it can be undone, and selects what was inserted. */
function replace(area, from, to, text) {
  area.focus();
  area.setSelectionRange(from, to);
  if (!document.execCommand('insertText', false, text)) {
    area.setRangeText(text);
    area.dispatchEvent(new Event('input', { bubbles: true }));
  }
  area.setSelectionRange(from, from + text.length);
}

/** Puts a mark on both sides of the selection, or removes it there. */
const around = (mark) => (area) => {
  const { value, selectionStart: from, selectionEnd: to } = area;
  const words = value.slice(from, to);
  const n = mark.length;
  if (words.length > 2 * n && words.startsWith(mark) && words.endsWith(mark)) {
    replace(area, from, to, words.slice(n, -n));
  } else {
    replace(area, from, to, mark + (words || 'text') + mark);
  }
};

/** Puts a mark before each selected line, or removes it there. */
const before = (mark) => (area) => {
  const { value, selectionStart, selectionEnd } = area;
  const from = value.lastIndexOf('\n', selectionStart - 1) + 1;
  const end = value.indexOf('\n', selectionEnd);
  const rows = value.slice(from, end < 0 ? value.length : end).split('\n');
  const all = rows.every((row) => row.startsWith(mark));
  replace(area, from, end < 0 ? value.length : end,
    rows.map((row) => (all ? row.slice(mark.length) : mark + row)).join('\n'));
};

function link(area) {
  const { value, selectionStart: from, selectionEnd: to } = area;
  const words = value.slice(from, to) || 'text';
  replace(area, from, to, '[' + words + '](https://)');
  const at = from + words.length + 3;
  area.setSelectionRange(at, at + 'https://'.length);
}

const bold = around('**');
const italic = around('*');
const tools = [
  ['Bold', html`<strong>B</strong>`, bold], ['Italic', html`<em>I</em>`, italic], ['Heading', 'H', before('## ')],
  ['List', '\u2022', before('- ')], ['Link', '\u{1F517}\uFE0E', link], ['Quote', '\u201D', before('> ')],
];
const shortcuts = { b: bold, i: italic, k: link };

/** @param {{disabled?: boolean, asText?: boolean}} props those of an Area; asText leaves out all but the text */
export function MarkdownEditor({ test, disabled, asText, ...area }) {
  const ref = useRef(null);
  const [rendered, setRendered] = useState(null);
  const [picking, setPicking] = useState(false);
  const target = () => ref.current.querySelector('textarea');
  const showPreview = async () => {
    setRendered(markup((await send(preview, { body: target().value })).data.pagePreview));
  };
  const insert = (img) => {
    const to = target();
    const alt = (img.alt || img.name).replace(/[\\[\]]/g, '\\$&');
    replace(to, to.selectionStart, to.selectionEnd, `![${alt}](${pathOf(img)})`);
  };
  const plain = disabled || asText;
  const press = (e) => {
    const act = !plain && (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey && shortcuts[e.key];
    if (act) {
      e.preventDefault();
      act(e.target);
    }
  };
  const buttons = !plain && html`<div class="tools" role="group" aria-label="Formatting">
    ${tools.map(([name, sign, act]) => html`<button key=${name} type="button" class="icon-button" aria-label=${name}
      title=${name} onClick=${() => act(target())}><span aria-hidden="true">${sign}</span></button>`)}</div>`;
  return html`<div class="editor" ref=${ref}>
    <${Area} ...${area} disabled=${disabled} tools=${buttons} onKeyDown=${press} />
    ${!plain && html`<div class="actions"><${ActionButton} run=${showPreview} done="Preview updated."
      data-test=${test + '-preview'}>Preview<//>
      <${Button} act=${() => setPicking(true)} test=${test + '-image'}>Insert image<//></div>`}
    ${picking && html`<${MediaPicker} onClose=${() => setPicking(false)} choose=${insert} />`}
    ${!plain && rendered && html`<section class="row-box" aria-label="Preview" data-test="preview">
      <div class="markdown grow" dir="auto">${rendered}</div></section>`}
  </div>`;
}
