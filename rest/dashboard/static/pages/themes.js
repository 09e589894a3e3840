// The themes of the store.
import { html, useEffect, useState } from '../lib.js';
import { useAll, useApp, useFilters } from '../context.js';
import { Page, Badge, Time, Empty, Alert, Pending, Button, isolate } from '../ui.js';
import { ActionButton, useMutation } from '../form.js';
import { Icon } from '../icons.js';
import { Menu } from '../menu.js';
import { ConnectionLost, useStatusChange, usePoll } from '../live.js';
import { ImportArea, useImport } from '../theme_import.js';
import * as actions from '../theme_actions.js';
import { NewTab, ThemePreview, byline, sources, storefront, themeFields, themePath } from '../theme_state.js';
import { to } from '../route.js';

const none = [];
const dialogs = { rename: actions.Rename, duplicate: actions.Duplicate, delete: actions.Delete };

export function Themes() {
  const { notify } = useApp();
  const f = useFilters();
  const query = useAll('themes', themeFields);
  const [dialog, setDialog] = useState(null);
  const [swap, setSwap] = useState(null); // the theme that was activated here, and the previous one
  const [newId, setNewId] = useState(f.new ?? '');
  const added = (id) => {
    setNewId(id);
    query.reload();
  };
  const importing = useImport(added);
  const themes = query.nodes ?? none;
  usePoll(query, themes.some((t) => t.status === 'PROCESSING'));
  useStatusChange(themes, (t, before) => before === 'PROCESSING' && (t.status === 'FAILED'
    ? notify(isolate(t.name) + ' could not be processed.', 'bad') : notify(isolate(t.name) + ' is ready.')));
  const active = themes.find((t) => t.status === 'ACTIVE');
  const others = themes.filter((t) => t !== active);
  const activated = (theme) => {
    setSwap({ theme, former: active });
    query.reload();
  };
  const shared = { fresh: newId, open: setDialog, added };
  const Opened = dialogs[dialog?.kind];
  const chosen = dialog && themes.find((t) => t.id === dialog.id);
  const close = () => setDialog(null);
  const add = html`<${Button} kind="primary" icon="upload" act=${importing.choose}
    test="theme-choose">Import theme<//>`;
  return html`<${Page} title="Themes" lead="The look of your storefront." actions=${add}>
    <${ConnectionLost} query=${query} />
    <${ActivationNotice} of=${swap} undone=${() => {
      setSwap(null);
      query.reload();
    }} forget=${() => setSwap(null)} />
    ${!query.nodes ? html`<div class="card"><${Pending} of=${query} rows=${6} /></div>`
      : html`${active && html`<${ActiveTheme} theme=${active} ...${shared} />`}
        <${ImportArea} of=${importing} themes=${themes} />
        <${OtherThemes} themes=${others} busy=${query.loading} ...${shared} />`}
    ${chosen && dialog.kind === 'activate' &&
      html`<${actions.Activate} theme=${chosen} former=${active} onClose=${close} done=${activated} />`}
    ${chosen && Opened && html`<${Opened} theme=${chosen} onClose=${close} changed=${(id) => {
      if (id) {
        setNewId(id);
      }
      query.reload();
    }} />`}
  <//>`;
}

function ActivationNotice({ of: s, undone, forget }) {
  const run = useMutation(actions.activate);
  return html`<div role="status">${s && html`<${Alert} tone="good"><div class="swap" data-test="theme-swap">
    <p class="grow"><strong><bdi>${s.theme.name}</bdi></strong> is live on the storefront.</p>
    <span class="actions">
      ${s.former && html`<${ActionButton} kind="small" run=${async () => {
        await run({ id: s.former.id });
        undone();
      }} done=${s.former.name + ' is live again.'} data-test="theme-undo">
        <${Icon} name="undo" size="16" />Change back to <bdi>${s.former.name}</bdi><//>`}
      <button type="button" class="icon-button" aria-label="Dismiss" onClick=${forget}>
        <${Icon} name="close" size="16" /></button></span>
  </div><//>`}</div>`;
}

function ThemeMenu({ theme: t, open }) {
  const item = (kind, text, danger) => ({ text, danger, test: 'theme-' + kind, act: () => open({ kind, id: t.id }) });
  const usable = t.status === 'ACTIVE' || t.status === 'INACTIVE';
  const items = [
    item('rename', 'Rename'), usable && item('duplicate', 'Duplicate'),
    t.status !== 'ACTIVE' && item('delete', 'Delete', true),
  ];
  return html`<${Menu} label=${'More for ' + t.name} test="theme-more" items=${items} />`;
}

function ActiveTheme({ theme: t, open, added }) {
  const { store } = useApp();
  return html`<section class="card flush active-theme" aria-label="Active theme" data-test="theme-active"
    data-id=${t.id}>
    <${ThemePreview} of=${t} eager />
    <div class="active-theme-text">
      <p><${Badge} value="ACTIVE" text="Live on the storefront" /></p>
      <h2><a href=${to(themePath(t.id))} data-test="theme-name">${t.name}</a></h2>
      ${byline(t) && html`<p class="muted">${byline(t)}</p>`}
      ${t.description && html`<p class="verbatim about">${t.description}</p>`}
      <p class="muted">${sources[t.source]}${t.activatedAt && html`, live since <${Time} at=${t.activatedAt} />`}</p>
      <div class="actions">
        <${NewTab} href=${storefront(store)} kind="small primary" test="view-storefront">View storefront<//>
        <${actions.Update} theme=${t} kind="small" added=${added} />
        <a class="button small" href=${to(themePath(t.id))}>Details</a>
        <${ThemeMenu} theme=${t} open=${open} />
      </div>
    </div>
  </section>`;
}

function OtherThemes({ themes, busy, fresh, open, added }) {
  const more = html`<a class="button small" href=${to('/marketplace')}>
    <${Icon} name="marketplace" size="16" />Marketplace</a>`;
  return html`<section aria-labelledby="others" class="stack" aria-busy=${busy ? 'true' : 'false'}>
    <div class="card-top level"><h2 id="others">Other themes</h2>${more}</div>
    ${themes.length === 0
      ? html`<div class="card"><${Empty} icon="themes" title="No other theme">
          Import one or install one from the <a href=${to('/marketplace')}>marketplace</a>. Nothing changes until
          you activate it.<//></div>`
      : html`<ul class="gallery" data-test="themes">${themes.map((t) => html`<${ThemeCard} key=${t.id} theme=${t}
          fresh=${t.id === fresh} open=${open} added=${added} />`)}</ul>`}
  </section>`;
}

function ThemeCard({ theme: t, fresh, open, added }) {
  const [box, setBox] = useState(null);
  useEffect(() => {
    if (fresh && box) {
      box.scrollIntoView({ block: 'nearest' });
    }
  }, [fresh, box]);
  return html`<li class=${fresh ? 'card flush theme-card fresh' : 'card flush theme-card'} data-id=${t.id}
    ref=${setBox}>
    <${ThemePreview} of=${t} />
    <div class="theme-card-text">
      <div class="theme-card-top"><h3><a href=${to(themePath(t.id))} data-test="theme-name">${t.name}</a></h3>
        ${t.status !== 'INACTIVE' ? html`<${Badge} value=${t.status} />`
          : fresh && html`<${Badge} value="INFO" text="New" />`}</div>
      <p class="muted">${byline(t) || sources[t.source]}</p>
      ${t.status === 'PROCESSING' && html`<span class="progress">
        <progress aria-label=${'Processing ' + t.name}></progress></span>`}
      ${t.status === 'FAILED' && html`<p class="critical">Processing failed. Delete the theme and import it again.</p>`}
      <p class="muted">${byline(t) && sources[t.source] + ', '}<${Time} at=${t.createdAt} how="date" /></p>
      <div class="actions theme-card-end">
        ${t.status === 'INACTIVE' && html`<${Button} kind="small soft" label=${'Activate ' + t.name}
          act=${() => open({ kind: 'activate', id: t.id })} test="theme-activate">Activate<//>`}
        ${t.previewUrl && html`<${NewTab} href=${t.previewUrl} kind="small"
          label=${'Preview ' + t.name + ' (opens a new tab)'} test="theme-preview">Preview<//>`}
        <${actions.Update} theme=${t} kind="small" added=${added} />
        <span class="grow"></span><${ThemeMenu} theme=${t} open=${open} />
      </div>
    </div>
  </li>`;
}
