// Charts, drawn by uPlot. Pages show the same data as text and as a table, so they work without the
// library.
import { html, useEffect, useRef } from './lib.js';

let plotLibrary = null;

/**
 * Loads the library and its stylesheet once. Its package has a minified form only as a script that
 * sets window.uPlot.
 */
export const loadPlot = () => (plotLibrary ??= Promise.all([
  addElement('script', { src: trusted(new URL('./vendor/uplot/uPlot.iife.min.js', import.meta.url).href) }),
  addElement('link', { rel: 'stylesheet', href: new URL('./vendor/uplot/uPlot.min.css', import.meta.url).href }),
]).then(() => ({ default: window.uPlot }), () => ({})));

// The only script that a module adds. The page's policy allows this one policy name, once.
const policy = globalThis.trustedTypes?.createPolicy('plot', { createScriptURL: (address) => address });
const trusted = (address) => policy?.createScriptURL(address) ?? address;

/** Adds an element that loads a file, and waits for it. */
function addElement(tag, attributes) {
  const element = Object.assign(document.createElement(tag), attributes);
  return new Promise((done, fail) => {
    element.onload = done;
    element.onerror = fail;
    document.head.append(element);
  });
}

const sizeOf = (box) => ({ width: box.clientWidth, height: box.clientHeight });

/** The theme that all charts share: colors of the page's color scheme, axes and grid. */
function plotTheme(box) {
  const style = getComputedStyle(box);
  const color = (name) => style.getPropertyValue(name).trim();
  return {
    color,
    axis: { font: '12px ' + style.fontFamily, stroke: color('--muted'), ticks: { show: false } },
    grid: { stroke: color('--line'), width: 1 },
  };
}

const common = {
  legend: { show: false },
  padding: [12, 4, 0, 4],
};

/**
 * A chart. It is redrawn when a value in of or the color scheme changes. The x values count from 0;
 * onPoint gets the index under the pointer, or null.
 * @param {{label: string, data: number[][], options: (uPlot: any, theme: any) => object, of: any[],
 *   onPoint: (at: number|null) => void, compact?: boolean, sync?: string}} props
 */
export function Plot({ label, data, options, of, onPoint, compact, sync }) {
  const box = useRef(null);
  useEffect(() => {
    let chart = null;
    let unmounted = false;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = async () => {
      const { default: uPlot } = await loadPlot();
      if (!uPlot || unmounted) {
        return;
      }
      chart?.destroy();
      chart = new uPlot({
        ...common, ...sizeOf(box.current), ...options(uPlot, plotTheme(box.current)),
        cursor: {
          y: false, drag: { x: false, y: false }, points: { size: 7 }, ...(sync && { sync: { key: sync } }),
        },
        hooks: { setCursor: [(u) => onPoint(u.cursor.idx ?? null)] },
      }, data, box.current);
    };
    const size = new ResizeObserver(() => chart?.setSize(sizeOf(box.current)));
    draw();
    size.observe(box.current);
    dark.addEventListener('change', draw);
    return () => {
      unmounted = true;
      size.disconnect();
      dark.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, of);
  return html`<div class=${compact ? 'chart-box compact' : 'chart-box'} ref=${box} role="img"
    aria-label=${label}></div>`;
}
