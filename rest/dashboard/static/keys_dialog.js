// The list of keyboard shortcuts, and the switch that turns them off.
import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { Button, Dialog } from './ui.js';
import { keysOn, setKeys } from './keys.js';

const groups = [
  ['Everywhere', [['Ctrl K', 'Search'], ['?', 'Show this list']]],
  ['List of orders', [
    ['j', 'Next order'], ['k', 'Previous order'], ['\u2193 \u2191', 'Next or previous order, on an order'],
    ['x', 'Select the order'], ['Enter', 'Open the order'], ['f', 'Fulfill selected orders'],
    ['b', 'Go to the actions on selected orders']]],
  ['An order', [['j', 'Next order of the list'], ['k', 'Previous order of the list'], ['f', 'Fulfill'],
    ['u', 'Back to the list']]],
];

export function KeysDialog({ onClose }) {
  const { notify } = useApp();
  const [on, setOn] = useState(keysOn);
  const change = (e) => {
    const wanted = e.target.checked;
    try {
      setKeys(wanted);
    } catch {
      notify('This browser cannot store the setting.', 'bad');
    }
    setOn(keysOn());
  };
  return html`<${Dialog} title="Keyboard shortcuts" onClose=${onClose} name="keys-dialog">
    ${groups.map(([title, rows]) => html`<section key=${title}><h3>${title}</h3>
      <dl class="keys">${rows.map(([key, text]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt>
        <dd>${text}</dd></div>`)}</dl></section>`)}
    <div class="field tick under"><input type="checkbox" id="keys-on" checked=${on} onChange=${change}
        data-test="keys-on" />
      <div><label for="keys-on">Turn on single-key shortcuts</label>
        <p class="hint">For all pages, in this browser.</p></div></div>
    <div class="form-end under"><${Button} act=${onClose} test="keys-close">Close<//></div>
  <//>`;
}
