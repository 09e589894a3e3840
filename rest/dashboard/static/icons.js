// Icons: line drawings on a grid of 20, in the color of the surrounding text.
import { html } from './lib.js';

const paths = {
  home: 'M3 9l7-6 7 6v8h-5v-5H8v5H3z',
  orders: 'M4 3h12v14l-3-2-3 2-3-2-3 2zM7 7h6M7 10h6',
  products: 'M10 2l7 4v8l-7 4-7-4V6zM3 6l7 4 7-4M10 10v8',
  customers: 'M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 17c1-4 4-5 7-5s6 1 7 5',
  keys: 'M7 14a4 4 0 1 1 3.5-6H18v3h-2v2h-3v-2h-2.5A4 4 0 0 1 7 14zM6.9 10h.2',
  apps: 'M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM14 11v6M11 14h6',
  webhooks: 'M10 7.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z' +
    'M4.500 17.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z' +
    'M15.500 17.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z' +
    'M8.900 7.300l-3 5.500M11.100 7.300l3 5.500M7 15h6',
  events: 'M2 11h4l2-6 4 11 2-5h4',
  requests: 'M3 6h11M11 3l3 3-3 3M17 14H6M9 11l-3 3 3 3',
  staff: 'M7 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17c0-4 2-6 5-6s5 2 5 6' +
    'M13 3.5a3 3 0 0 1 0 5M14.5 11.5c2 .6 3.500 2.500 3.500 5.500',
  audit: 'M5 2h7l3 3v13H5zM12 2v3h3M8 9h4M8 12h4M8 15h2',
  bell: 'M5 14V9a5 5 0 0 1 10 0v5l1.500 1.500h-13zM8 17a2 2 0 0 0 4 0',
  collections: 'M3 4h6v6H3zM11 4h6v6h-6zM3 12h6v5H3zM11 12h6v5h-6z',
  discounts: 'M3 10V4a1 1 0 0 1 1-1h6l7 7-7 7zM7 6.2v.1',
  settings: 'M4 6h6M14 6h2M4 14h2M10 14h6M12 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM8 12a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  search: 'M8.500 14.500a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM13 13l4.500 4.500',
  menu: 'M3 5h14M3 10h14M3 15h14',
  close: 'M5 5l10 10M15 5L5 15',
  copy: 'M7 7h10v10H7zM13 7V3H3v10h4',
  check: 'M4 10l4 4 8-9',
  plus: 'M10 4v12M4 10h12',
  back: 'M12 4l-6 6 6 6',
  next: 'M8 4l6 6-6 6',
  alert: 'M10 3l8 14H2zM10 8v4M10 14.500v.2',
  info: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM10 9v5M10 6.200v.2',
  money: 'M2 5h16v10H2zM10 12.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM5 8v4M15 8v4',
  truck: 'M2 5h9v9H2zM11 8h4l3 3v3h-7z' +
    'M5.500 16.500a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400z' +
    'M14.500 16.500a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400z',
  send: 'M3 10l14-7-5 14-3-6zM9 11l8-8',
  undo: 'M4 8h8a4 4 0 0 1 0 8H8M4 8l4-4M4 8l4 4',
  note: 'M4 3h12v10l-4 4H4zM16 13h-4v4M7 7h6M7 10h4',
  person: 'M10 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17c0-4 3-6 6-6s6 2 6 6',
  image: 'M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M13 8.200v.2',
  reports: 'M3 17V3M3 17h14M7 14V9M11 14V5M15 14v-3',
  imports: 'M10 12v-9M6 6.500l4 -4 4 4M3 14v3h14v-3',
  exports: 'M10 3v9M6 8.500l4 4 4-4M3 14v3h14v-3',
  themes: 'M10 2.500a7.500 7.500 0 1 0 0 15c1.500 0 1.800-1 1.300-2-.6-1.300.2-2.500 1.700-2.500h2' +
    'c1.700 0 2.500-1.400 2.500-3 0-4-3.300-7.500-7.500-7.500zM6.200 10h.2M8 6.300h.2M12.300 6.300h.2',
  marketplace: 'M3 8l1.500-5h11L17 8' +
    'M3 8c0 3 3.500 3 3.500 0 0 3 3.500 3 3.500 0 0 3 3.500 3 3.500 0 0 3 3.500 3 3.500 0' +
    'M4.500 10.500V17h11v-6.500M8 17v-4h4v4',
  up: 'M10 16V4M5 9l5-5 5 5',
  down: 'M10 4v12M5 11l5 5 5-5',
  upload: 'M10 13V4M6 7.500l4-4 4 4M3 14v3h14v-3',
  open: 'M11 3h6v6M17 3l-8 8M8 4H3v13h13v-5',
  more: 'M4 10a.8.8 0 1 0 1.600 0 .8.8 0 0 0-1.600 0z' +
    'M9.200 10a.8.8 0 1 0 1.600 0 .8.8 0 0 0-1.600 0z' +
    'M14.400 10a.8.8 0 1 0 1.600 0 .8.8 0 0 0-1.600 0z',
  store: 'M3 8l1.500-5h11L17 8M4 8v9h12V8M3 8h14M8 17v-5h4v5',
  print: 'M6 7V3h8v4M6 14H3V7h14v7h-3M6 12h8v5H6z',
  pencil: 'M4 16l1-4 8.500-8.500 3 3L8 15zM11.500 5.500l3 3',
  out: 'M12 4V3H3v14h9v-1M8 10h10M15 7l3 3-3 3',
};

/** A decorative icon; screen readers skip it. */
export function Icon({ name, size = 20 }) {
  return html`<svg class="icon" width=${size} height=${size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    <path d=${paths[name]} /></svg>`;
}

const glyphs = {
  empty: html`<circle cx="6" cy="6" r="4" class="ring" />`,
  half: html`<circle cx="6" cy="6" r="4" class="ring" /><path d="M6 2a4 4 0 0 1 0 8z" class="fill" />`,
  full: html`<circle cx="6" cy="6" r="4.700" class="fill" />`,
  cross: html`<path d="M3 3l6 6M9 3l-6 6" class="ring" />`,
  check: html`<path d="M2.500 6.500l2.500 2.500 4.500-6" class="ring" />`,
};

/** The small symbol in a badge. */
export function Glyph({ name }) {
  return html`<svg class="glyph" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" focusable="false">
    ${glyphs[name]}</svg>`;
}
