// The main menu and the footer of the storefront.
import { html, useState } from '../lib.js';
import { useAll, useApp, useQuery } from '../context.js';
import { Page, Card, Pending, Button } from '../ui.js';
import { Form, Field, Select, useAction } from '../form.js';
import { ListChoice, ProductChoice } from '../choices.js';
import { MoveButtons } from '../rows.js';

const link = 'title target resourceId address';
const read = `query Menus {
  menus { version main { ${link} children { ${link} } } footer { ${link} children { ${link} } } } }`;
const save = `mutation MenusSet($expectedVersion: Long!, $input: MenusInput!) {
  menusSet(expectedVersion: $expectedVersion, input: $input) { menus { version } userErrors { code message path } } }`;

const targets = [['HOME', 'Home'], ['PRODUCTS', 'All products'], ['COLLECTION', 'Collection'],
  ['SEARCH', 'Search'], ['PAGE', 'Page'], ['PRODUCT', 'Product'], ['ADDRESS', 'Address']];
let last = 0; // the last key of a link

const edited = (links) => links?.map((l) => ({ ...l, key: ++last, children: edited(l.children ?? []) })) ?? null;
const sent = (links) => links?.map((l) => ({ title: l.title, target: l.target,
  ...(['PAGE', 'PRODUCT', 'COLLECTION'].includes(l.target) ? { resourceId: l.resourceId || null } : {}),
  ...(l.target === 'ADDRESS' ? { address: l.address } : {}), children: sent(l.children ?? []) })) ?? null;

export function Navigation() {
  const query = useQuery(read);
  const lists = { PAGE: useAll('pages', 'id title'), COLLECTION: useAll('collections', 'id title') };
  const queries = [query, lists.PAGE, lists.COLLECTION];
  const pending = queries.find((q) => q.failure) ?? queries.find((q) => !q.data);
  if (pending) {
    return html`<${Page} title="Navigation"><${Card}><${Pending} of=${pending} rows=${8} /><//><//>`;
  }
  return html`<${Page} title="Navigation" lead="The links in the header and footer of the shop.">
    <${Menus} key=${query.data.menus.version} data=${query.data} lists=${lists} reload=${query.reload} /><//>`;
}

function Menus({ data, lists, reload }) {
  const { can } = useApp();
  const [main, setMain] = useState(() => edited(data.menus.main));
  const [footer, setFooter] = useState(() => edited(data.menus.footer));
  const choices = { PAGE: lists.PAGE.nodes, COLLECTION: lists.COLLECTION.nodes };
  const action = useAction(save, () => ({ expectedVersion: data.menus.version,
    input: { main: sent(main), footer: sent(footer) } }), 'Navigation saved.', reload);
  const reset = () => {
    setMain(edited(data.menus.main));
    setFooter(edited(data.menus.footer));
  };
  const cards = html`<${Menu} name="main" title="Main menu" links=${main} set=${setMain} choices=${choices}
      standard="Default: home, all products and search." />
    <${Menu} name="footer" title="Footer" links=${footer} set=${setFooter} choices=${choices}
      standard="Default: all published pages." />`;
  return can('editPages') ? html`<${Form} name="menus" submit="Save" action=${action} onStale=${reload}
      reset=${reset}>${cards}<//>`
    : html`<fieldset class="stack" disabled>${cards}</fieldset>`;
}

function Menu({ name, title, links, set, choices, standard }) {
  const own = links !== null;
  return html`<${Card} title=${title} name=${'menu-' + name} actions=${own && html`<${Button} kind="small"
    act=${() => set(null)} test="menu-default">Use the default<//>`}>
    ${own ? html`<${Links} at=${name} name=${title} links=${links} set=${set} choices=${choices} />`
      : html`<p class="muted">${standard}</p><${Button} test="menu-own" act=${() => set([])}>Customize links<//>`}<//>`;
}

/** The links of a menu or below another link. */
function Links({ at, name, links, set, choices, below }) {
  const change = (i, change) => set(links.map((l, k) => (k === i ? { ...l, ...change } : l)));
  const add = () => set([...links, { key: ++last, title: '', target: 'HOME', children: [] }]);
  return html`<ol class="links" aria-label=${name}>${links.map((l, i) => html`<li key=${l.key} data-test="menu-link">
      <${Link} at=${at + '.' + i} link=${l} change=${(c) => change(i, c)} choices=${choices} />
      <${MoveButtons} title=${l.title} at=${i} items=${links} set=${set} test="link" />
      ${!below && html`<${Links} at=${at + '.' + i + '.children'} name=${'Below ' + l.title} links=${l.children} below
        set=${(children) => change(i, { children })} choices=${choices} />`}</li>`)}</ol>
    <${Button} kind="small" icon="plus" act=${add}
      test=${below ? 'link-below' : 'link-add'}>${below ? 'Add a link below' : 'Add a link'}<//>`;
}

function Link({ at, link: l, change, choices }) {
  const choose = (of) => change({ resourceId: of.id,
    ...(!l.title && of.title ? { title: of.title, filled: ++last } : {}) });
  return html`<div class="pair">
    <${Field} key=${'t' + l.filled} name=${at + '.title'} label="Text" value=${l.title} required maxlength="255"
      onInput=${(e) => change({ title: e.target.value })} />
    <${Select} name=${at + '.target'} label="Link to" value=${l.target} options=${targets}
      onChange=${(e) => change({ target: e.target.value })} />
    ${choices[l.target] && html`<${ListChoice} key=${l.target} name=${at + '.resourceId'} value=${l.resourceId}
      label=${targets.find(([name]) => name === l.target)[1]} nodes=${choices[l.target]} required choose=${choose} />`}
    ${l.target === 'PRODUCT' && html`<${ProductChoice} name=${at + '.resourceId'} value=${l.resourceId} label="Product"
      required choose=${choose} />`}
    ${l.target === 'ADDRESS' && html`<${Field} name=${at + '.address'} label="Address" value=${l.address} required
      maxlength="2048" hint="For example, /pages/contact, or a URL that starts with https://"
      onInput=${(e) => change({ address: e.target.value })} />`}
  </div>`;
}
