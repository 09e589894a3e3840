// Pictures of numbers, drawn by uPlot. A page says the same in words and as a
// table beside them, so it does not wait for the library, nor needs it.
import { html, useEffect, useRef } from './lib.js';

let library = null;

/**
 * Fetches the library, once, and its own few styles, which most pages do not need. Its package has a minified form as a
 * script alone, which names itself in the window.
 */
export const load = () => (library ??= Promise.all([
  fetched('script', { src: trusted(new URL('./vendor/uplot/uPlot.iife.min.js', import.meta.url).href) }),
  fetched('link', { rel: 'stylesheet', href: new URL('./vendor/uplot/uPlot.min.css', import.meta.url).href }),
]).then(() => ({ default: window.uPlot }), () => ({})));

// The one script that a module adds: the policy of the page knows its name, and takes no second one.
const policy = globalThis.trustedTypes?.createPolicy('plot', { createScriptURL: (address) => address });
const trusted = (address) => policy?.createScriptURL(address) ?? address;

/** Adds an element that fetches something, and waits for it. */
function fetched(tag, attributes) {
  const element = Object.assign(document.createElement(tag), attributes);
  return new Promise((done, fail) => {
    element.onload = done;
    element.onerror = fail;
    document.head.append(element);
  });
}

const extent = (box) => ({ width: box.clientWidth, height: box.clientHeight });

/** What all pictures have alike: colours of the page's scheme by name, axes, grid. */
function look(box) {
  const style = getComputedStyle(box);
  const colour = (name) => style.getPropertyValue(name).trim();
  return {
    colour,
    axis: { font: '12px ' + style.fontFamily, stroke: colour('--muted'), ticks: { show: false } },
    grid: { stroke: colour('--line'), width: 1 },
  };
}

const common = {
  legend: { show: false },
  padding: [12, 4, 0, 4],
};

/**
 * One picture, drawn again when one of the values in "of" changes, or the
 * colours do. The x of its data counts from 0; point gets the index that is under
 * the pointer, or null.
 * @param {{label: string, data: number[][], options: (uPlot: any, look: any) => object, of: any[],
 *   point: (at: number|null) => void, low?: boolean, together?: string}} props
 */
export function Plot({ label, data, options, of, point, low, together }) {
  const box = useRef(null);
  useEffect(() => {
    let chart = null;
    let gone = false;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = async () => {
      const { default: uPlot } = await load();
      if (!uPlot || gone) {
        return;
      }
      chart?.destroy();
      chart = new uPlot({
        ...common, ...extent(box.current), ...options(uPlot, look(box.current)),
        cursor: {
          y: false, drag: { x: false, y: false }, points: { size: 7 }, ...(together && { sync: { key: together } }),
        },
        hooks: { setCursor: [(u) => point(u.cursor.idx ?? null)] },
      }, data, box.current);
    };
    const size = new ResizeObserver(() => chart?.setSize(extent(box.current)));
    draw();
    size.observe(box.current);
    dark.addEventListener('change', draw);
    return () => {
      gone = true;
      size.disconnect();
      dark.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, of);
  return html`<div class=${low ? 'chart-box low' : 'chart-box'} ref=${box} role="img" aria-label=${label}></div>`;
}
