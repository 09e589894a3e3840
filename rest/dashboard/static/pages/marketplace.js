// The marketplace: themes to install, what the store offers, and what there is to review.
import { html } from '../lib.js';
import { useQuery, useFilters, go } from '../context.js';
import { Page, Badge, Empty, Trouble, Waiting } from '../ui.js';
import { ActionButton, useMutation } from '../form.js';
import { Icon } from '../icons.js';
import { money } from '../money.js';
import { Submissions, useSubmissions } from '../market_submission.js';
import { Reviews, useReviews } from '../market_review.js';
import { Picture, errors, themePath } from '../theme_state.js';
import { to } from '../route.js';

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
    <${Offers} query=${query} after=${f.after} />
    <${Submissions} query=${submissions} changed=${changed} />
    <${Reviews} query=${reviews} changed=${changed} />
  <//>`;
}

function Offers({ query, after }) {
  if (query.failure) {
    return html`<${Trouble} failure=${query.failure} reload=${query.reload} />`;
  }
  if (!query.data) {
    return html`<div class="card"><${Waiting} rows=${6} /></div>`;
  }
  const { nodes, pageInfo } = query.data.marketplaceThemes;
  return html`<section class="stack" aria-label="Published themes" aria-busy=${query.loading ? 'true' : 'false'}
    data-test="offers">
    ${nodes.length === 0
      ? html`<div class="card"><${Empty} icon="marketplace" title="No published themes">
          Themes appear here when stores publish them.<//></div>`
      : html`<ul class=${query.loading ? 'gallery stale' : 'gallery'}>
          ${nodes.map((o) => html`<${Offer} key=${o.id} of=${o} reload=${query.reload} />`)}</ul>`}
    ${(pageInfo.hasNextPage || after) && html`<nav class="pager bare-pager" aria-label="Pages">
      ${after && html`<a class="button" href=${to('/marketplace')}><${Icon} name="back" size="16" />Newest</a>`}
      <span class="grow"></span>
      ${pageInfo.hasNextPage && html`<a class="button" href=${to('/marketplace', { after: pageInfo.endCursor })}
        data-test="older">Older<${Icon} name="next" size="16" /></a>`}</nav>`}
  </section>`;
}

/** What others say of an offer, in few words. */
const repute = (o) => [
  o.ratingPercent != null && o.ratingPercent + ' % positive ratings',
  o.installsCount > 0 &&
    o.installsCount.toLocaleString() + (o.installsCount === 1 ? ' installation' : ' installations'),
].filter(Boolean).join(', ');

function Offer({ of: o, reload }) {
  const run = useMutation(install);
  const add = async () => {
    const { theme } = await run({ id: o.id });
    reload();
    go(to('/themes', { new: theme.id }));
  };
  return html`<li class="card flush piece" data-id=${o.id}>
    <${Picture} of=${o} />
    <div class="piece-text">
      <div class="piece-top"><h2><bdi>${o.name}</bdi></h2>
        <span class="figure strong">${o.priceMinor === 0 ? 'Free' : money(o.priceMinor, o.currency)}</span></div>
      <p class="muted">Version ${o.version} by <bdi>${o.author}</bdi></p>
      ${o.tagline && html`<p>${o.tagline}</p>`}
      ${o.categories.length > 0 && html`<p class="tags">
        ${o.categories.map((c) => html`<span class="tag" key=${c}>${c}</span>`)}</p>`}
      ${repute(o) && html`<p class="muted">${repute(o)}</p>`}
      <div class="actions piece-end">
        ${o.priceMinor > 0 ? html`<span class="muted">Not available yet</span>`
          : html`<${ActionButton} kind=${o.installed ? 'small' : 'small soft'} run=${add}
              done=${o.name + ' installed. Check the preview, then activate it.'}
              aria-label=${(o.installed ? 'Install again: ' : 'Install ') + o.name} data-test="theme-install">
              ${o.installed ? 'Install again' : 'Install'}<//>`}
        <span class="grow"></span>
        ${o.installed && (o.installedThemeId
          ? html`<a class="got" href=${to(themePath(o.installedThemeId))} data-test="installed">
              <${Badge} value="DELIVERED" text="Installed" /></a>`
          : html`<${Badge} value="DELIVERED" text="Installed" />`)}
      </div>
    </div>
  </li>`;
}
