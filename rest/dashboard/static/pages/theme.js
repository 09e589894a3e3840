// A theme: its details, files and actions.
import { html, useState } from '../lib.js';
import { useApp, useQuery, useFilters, go } from '../context.js';
import {
  Page, Card, Badge, Time, Empty, Alert, Facts, Copyable, MissingPage, Button, humanize, isolate,
} from '../ui.js';
import { List } from '../list.js';
import { ConnectionLost, usePoll } from '../live.js';
import * as actions from '../theme_actions.js';
import { NewTab, ThemePreview, assetPath, sources, storefront, themeFields, themePath } from '../theme_state.js';
import { bytes } from '../export_state.js';
import { to } from '../route.js';

const read = `query Theme($id: ID!) { theme(id: $id) { ${themeFields} checksum } }`;
const assets = `query ThemeAssets($id: ID!, $after: String) { themeAssets(themeId: $id, first: 50, after: $after) {
  nodes { id key kind contentType sizeBytes checksum url width height } pageInfo { hasNextPage endCursor } } }`;

const back = { href: to('/themes'), text: 'Themes' };
const dialogs = { rename: actions.Rename, duplicate: actions.Duplicate, delete: actions.Delete };

const columns = [
  { name: 'asset', head: 'File', main: true, cell: (a) => html`<span class="with-thumb">
    ${a.kind === 'IMAGE' && html`<span class="thumb">
      <img src=${assetPath(a.url)} alt="" width="44" height="44" loading="lazy" decoding="async" /></span>`}
    <code class="url">${a.key}</code></span>` },
  { name: 'kind', head: 'Kind', cell: (a) => html`<span>${a.kind === 'CSS' ? 'Stylesheet' : humanize(a.kind)}
    ${a.width != null && html`<span class="muted block figure">${a.width} × ${a.height}</span>`}</span>` },
  { name: 'type', head: 'Type', cell: (a) => html`<code>${a.contentType}</code>` },
  { name: 'size', head: 'Size', end: true, cell: (a) => html`<span class="figure"
    title=${a.sizeBytes.toLocaleString() + ' bytes'}>${bytes(a.sizeBytes)}</span>` },
];

export function Theme({ id }) {
  const { store, notify } = useApp();
  const f = useFilters();
  const query = useQuery(read, { id });
  const t = query.data?.theme;
  const usable = t && (t.status === 'ACTIVE' || t.status === 'INACTIVE');
  const files = useQuery(usable ? assets : '', { id, after: f.after || null });
  const [dialog, setDialog] = useState(null);
  usePoll(query, t?.status === 'PROCESSING');
  if (!t) {
    return html`<${MissingPage} query=${query} name="Theme" icon="themes" back=${back} rows=${6} />`;
  }
  const close = () => setDialog(null);
  const changed = (made) => {
    if (dialog === 'delete') {
      go(to('/themes'), { replace: true });
    } else if (made) {
      go(to(themePath(made)));
    } else {
      query.reload();
    }
  };
  const Opened = dialogs[dialog];
  const badge = html`<${Badge} value=${t.status}
    text=${t.status === 'ACTIVE' ? 'Live on the storefront' : undefined} />`;
  return html`<${Page} title=${t.name} back=${back} badges=${badge}
    actions=${html`<${Buttons} of=${t} whole=${usable} store=${store} open=${setDialog} />`}>
    <${ConnectionLost} query=${query} />
    ${t.status === 'FAILED' && html`<${Alert}><span data-test="standing">
      Processing failed, so this theme cannot be used. Delete it and import it again.</span><//>`}
    ${t.status === 'PROCESSING' && html`<${Card}><span class="progress">
      <progress aria-label=${'Processing ' + t.name}></progress>
      <span class="progress-text">Processing the theme\u2026</span></span><//>`}
    <div class="columns">
      <section class="card flush large-preview" aria-label="Image"><${ThemePreview} of=${t} eager /></section>
      <${Card} title="Details" name="theme-details">
        ${t.description && html`<p class="verbatim lead-in">${t.description}</p>`}
        <${Facts} rows=${[
          ['Version', t.version], ['Author', t.author && html`<bdi>${t.author}</bdi>`], ['Source', sources[t.source]],
          ['Added', html`<${Time} at=${t.createdAt} />`],
          ['Last activated', t.activatedAt && html`<${Time} at=${t.activatedAt} />`],
          ['Size', usable && html`<span class="figure">${bytes(t.sizeBytes)}</span>, ${
            t.assetCount.toLocaleString()} ${t.assetCount === 1 ? 'asset' : 'assets'} and its templates`],
          ['Checksum', usable && html`<${Copyable} text=${t.checksum} test="theme-checksum" />`],
          ['ID', html`<${Copyable} text=${t.id} test="theme-id" />`],
        ]} />
      <//>
    </div>
    ${usable && html`<${Card} title="Assets" flush name="theme-assets">
      <${List} query=${files} pick=${(d) => d.themeAssets} caption="Assets" columns=${columns}
        paged=${Boolean(f.after)} address=${(after) => to(themePath(id), { after })}
        empty=${html`<${Empty} icon="image" title="No assets">This theme has only templates.<//>`} />
    <//>`}
    ${Opened && html`<${Opened} theme=${t} onClose=${close} changed=${changed} />`}
    ${dialog === 'activate' && html`<${actions.Activate} theme=${t} onClose=${close} done=${() => {
      notify(isolate(t.name) + ' activated.');
      query.reload();
    }} />`}
  <//>`;
}

function Buttons({ of: t, whole, store, open }) {
  const button = (kind, text, look = '') => html`<${Button} kind=${look} act=${() => open(kind)}
    test=${'theme-' + kind}>${text}<//>`;
  return html`${t.status === 'INACTIVE' && button('activate', 'Activate', 'primary')}
    ${t.status === 'ACTIVE' ? html`<${NewTab} href=${storefront(store)} test="view-storefront">View storefront<//>`
      : t.previewUrl && html`<${NewTab} href=${t.previewUrl} test="theme-preview">Preview<//>`}
    <${actions.Update} theme=${t} added=${(made) => go(to(themePath(made)))} />
    ${whole && html`<a class="button" href=${to(themePath(t.id) + '/settings')}
      data-test="theme-settings">Settings</a>`}
    ${button('rename', 'Rename')}
    ${whole && button('duplicate', 'Duplicate')}
    ${t.status !== 'ACTIVE' && button('delete', 'Delete', 'danger-quiet')}`;
}
