// Shows the HTML that the server makes of Markdown, as elements of this page: known ones
// alone, and none of their addresses but links. Nothing of it is ever parsed as markup.
import { h, html } from './lib.js';
import { safeURL } from './ui.js';

const known = new Set(['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'em', 'strong', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code',
  'a', 'hr', 'br', 'img']);
const single = new Set(['hr', 'br', 'img']);
const piece = /<(\/?)([a-z0-9]+)((?: [a-z]+="[^"]*")*) ?\/?>|([^<]+)/g;
const signs = { lt: '<', gt: '>', amp: '&', quot: '"', '#34': '"', '#39': "'" };
const plain = (text) => text.replace(/&(lt|gt|amp|quot|#34|#39);/g, (_, name) => signs[name]);

/** The elements of a text. @param {string} text */
export function markup(text) {
  const open = [{ tag: '', children: [] }];
  const put = (node) => open.at(-1).children.push(node);
  for (const [, end, tag, attributes, words] of text.matchAll(piece)) {
    if (words !== undefined) {
      put(plain(words));
    } else if (end) {
      if (open.length > 1 && open.at(-1).tag === tag) {
        const done = open.pop();
        put(element(done));
      }
    } else if (known.has(tag)) {
      const pairs = [...attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)];
      const values = Object.fromEntries(pairs.map((m) => [m[1], plain(m[2])]));
      if (single.has(tag)) {
        put(element({ tag, values, children: [] }));
      } else {
        open.push({ tag, values, children: [] });
      }
    }
  }
  return open[0].children;
}

function element({ tag, values, children }) {
  if (tag === 'img') { // only visitors see it: this page asks no other host
    return html`<span class="muted">[Image: ${values.alt || 'no description'}]</span>`;
  }
  if (tag === 'a') {
    const href = safeURL(values.href);
    return href ? h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, children)
      : h('span', { class: 'strong' }, children);
  }
  return h(tag, tag === 'pre' ? { tabindex: 0 } : {}, children);
}
