// Shows HTML that the server renders from Markdown, as elements of this page. Only known elements
// and links pass, and nothing is parsed as markup by the browser.
import { h, html } from './lib.js';
import { safeURL } from './ui.js';

const allowedTags = new Set(['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'em', 'strong', 'ul', 'ol', 'li', 'blockquote', 'pre',
  'code', 'a', 'hr', 'br', 'img']);
const voidTags = new Set(['hr', 'br', 'img']);
const token = /<(\/?)([a-z0-9]+)((?: [a-z]+="[^"]*")*) ?\/?>|([^<]+)/g;
const entities = { lt: '<', gt: '>', amp: '&', quot: '"', '#34': '"', '#39': "'" };
const plain = (text) => text.replace(/&(lt|gt|amp|quot|#34|#39);/g, (_, name) => entities[name]);

/** Returns the elements of an HTML text. @param {string} text */
export function markup(text) {
  const open = [{ tag: '', children: [] }];
  const put = (node) => open.at(-1).children.push(node);
  for (const [, end, tag, attributes, words] of text.matchAll(token)) {
    if (words !== undefined) {
      put(plain(words));
    } else if (end) {
      if (open.length > 1 && open.at(-1).tag === tag) {
        const done = open.pop();
        put(element(done));
      }
    } else if (allowedTags.has(tag)) {
      const pairs = [...attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)];
      const values = Object.fromEntries(pairs.map((m) => [m[1], plain(m[2])]));
      if (voidTags.has(tag)) {
        put(element({ tag, values, children: [] }));
      } else {
        open.push({ tag, values, children: [] });
      }
    }
  }
  return open[0].children;
}

function element({ tag, values, children }) {
  if (tag === 'img') { // the dashboard loads nothing from other hosts
    return html`<span class="muted">[Image: ${values.alt || 'no description'}]</span>`;
  }
  if (tag === 'a') {
    const href = safeURL(values.href);
    return href ? h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, children)
      : h('span', { class: 'strong' }, children);
  }
  return h(tag, tag === 'pre' ? { tabindex: 0 } : {}, children);
}
