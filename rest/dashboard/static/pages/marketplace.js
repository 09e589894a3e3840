// The marketplace: themes to install, submissions and reviews.
import { html } from '../lib.js';
import { useQuery, useFilters, go } from '../context.js';
import { Page, Badge, Empty, Pending } from '../ui.js';
import { ActionButton, useMutation, errors } from '../form.js';
import { money } from '../money.js';
import { Submissions, useSubmissions } from '../market_submission.js';
import { Reviews, useReviews } from '../market_review.js';
import { ThemePreview, themePath } from '../theme_state.js';
import { to } from '../route.js';
import { Pager } from '../list.js';

const list = `query Marketplace($after: String) { marketplaceThemes(first: 24, after: $after) {
  nodes {
    id name tagline author version priceMinor currency categories previewImageUrl ratingPercent installsCount
    installed installedThemeId
  }
  pageInfo { hasNextPage endCursor } } }`;
const install = `mutation ThemeInstall($id: ID!) {
  themeInstall(marketplaceThemeId: $id) { theme { id name } ${errors} } }`;

export function Marketplace() {
  const f = useFilters();
  const query = useQuery(list, { after: f.after || null });
  const submissions = useSubmissions(f.submitted);
  const reviews = useReviews(f.reviewed);
  const changed = () => [query, submissions, reviews].forEach((q) => q.refresh());
  return html`<${Page} title="Marketplace"
    lead="Themes by other stores. Installing a theme changes nothing until you activate it.">
    <${ThemeGallery} query=${query} after=${f.after} />
    <${Submissions} query=${submissions} changed=${changed} />
    <${Reviews} query=${reviews} changed=${changed} />
  <//>`;
}

function ThemeGallery({ query, after }) {
  if (!query.data) {
    return html`<div class="card"><${Pending} of=${query} rows=${6} /></div>`;
  }
  const { nodes, pageInfo } = query.data.marketplaceThemes;
  return html`<section class="stack" aria-label="Published themes" aria-busy=${query.loading ? 'true' : 'false'}
    data-test="offers">
    ${nodes.length === 0
      ? html`<div class="card"><${Empty} icon="marketplace" title="No published themes">
          Themes appear here when stores publish them.<//></div>`
      : html`<ul class=${query.loading ? 'gallery stale' : 'gallery'}>
          ${nodes.map((o) => html`<${ThemeCard} key=${o.id} of=${o} reload=${query.reload} />`)}</ul>`}
    <${Pager} bare info=${pageInfo} paged=${Boolean(after)}
      address=${(cursor) => to('/marketplace', { after: cursor })} />
  </section>`;
}

const popularity = (o) => [
  o.ratingPercent != null && o.ratingPercent + ' % positive ratings',
  o.installsCount > 0 &&
    o.installsCount.toLocaleString() + (o.installsCount === 1 ? ' installation' : ' installations'),
].filter(Boolean).join(', ');

function ThemeCard({ of: o, reload }) {
  const run = useMutation(install);
  const add = async () => {
    const { theme } = await run({ id: o.id });
    reload();
    go(to('/themes', { new: theme.id }));
  };
  return html`<li class="card flush theme-card" data-id=${o.id}>
    <${ThemePreview} of=${o} />
    <div class="theme-card-text">
      <div class="theme-card-top"><h2><bdi>${o.name}</bdi></h2>
        <span class="figure strong">${o.priceMinor === 0 ? 'Free' : money(o.priceMinor, o.currency)}</span></div>
      <p class="muted">Version ${o.version} by <bdi>${o.author}</bdi></p>
      ${o.tagline && html`<p>${o.tagline}</p>`}
      ${o.categories.length > 0 && html`<p class="tags">
        ${o.categories.map((c) => html`<span class="tag" key=${c}>${c}</span>`)}</p>`}
      ${popularity(o) && html`<p class="muted">${popularity(o)}</p>`}
      <div class="actions theme-card-end">
        ${o.priceMinor > 0 ? html`<span class="muted">Not available yet</span>`
          : html`<${ActionButton} kind=${o.installed ? 'small' : 'small soft'} run=${add}
              done=${o.name + ' installed. Check the preview, then activate it.'}
              aria-label=${(o.installed ? 'Install again: ' : 'Install ') + o.name} data-test="theme-install">
              ${o.installed ? 'Install again' : 'Install'}<//>`}
        <span class="grow"></span>
        ${o.installed && (o.installedThemeId
          ? html`<a class="plain-link" href=${to(themePath(o.installedThemeId))} data-test="installed">
              <${Badge} value="DELIVERED" text="Installed" /></a>`
          : html`<${Badge} value="DELIVERED" text="Installed" />`)}
      </div>
    </div>
  </li>`;
}
