// The sessions of a person.
import { html, useState } from './lib.js';
import { useQuery } from './context.js';
import { Badge, Time, Pending, Button } from './ui.js';
import { ActionButton, Confirm, useMutation, errors } from './form.js';

const list = 'query Sessions { account { sessions { id address agent current createdAt seenAt } } }';
const end = `mutation SessionEnd($id: ID!) { sessionEnd(id: $id) { endedId ${errors} } }`;
const endAll = `mutation SignOutEverywhere($others: Boolean!) {
  signOutEverywhere(others: $others) { sessions ${errors} } }`;

const programs = [['Edg/', 'Edge'], ['OPR/', 'Opera'], ['Firefox/', 'Firefox'], ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'], ['curl/', 'curl']];
const systems = [['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Windows', 'Windows'],
  ['Mac OS', 'macOS'], ['Linux', 'Linux']];

/** A short name of the browser from its user agent. */
export function browser(agent) {
  const name = programs.find(([mark]) => agent.includes(mark))?.[1];
  const system = systems.find(([mark]) => agent.includes(mark))?.[1];
  return [name, system].filter(Boolean).join(' on ') || agent.slice(0, 60) || 'Unknown browser';
}

/** changed is called after a session has ended. */
export function Sessions({ changed }) {
  const query = useQuery(list);
  const ended = () => {
    query.reload();
    changed();
  };
  const [ending, setEnding] = useState('');
  if (!query.data) {
    return html`<${Pending} of=${query} rows=${3} />`;
  }
  const { sessions } = query.data.account;
  return html`<ul class="sessions" data-test="session-list">${sessions.map((s) => html`<${Session} key=${s.id} of=${s}
      changed=${ended} />`)}</ul>
    <div class="form-end">
      ${sessions.length > 1 && html`<${Button} act=${() => setEnding('others')}
        test="sign-out-others">Sign out of other sessions<//>`}
      <${Button} kind="danger-quiet" act=${() => setEnding('all')}
        test="sign-out-everywhere">Sign out everywhere<//></div>
    ${ending && html`<${EndAll} others=${ending === 'others'} onClose=${() => setEnding('')} changed=${ended} />`}`;
}

function Session({ of: s, changed }) {
  const run = useMutation(end);
  const name = browser(s.agent);
  const act = async () => {
    await run({ id: s.id });
    changed();
  };
  return html`<li>
    <div class="grow"><p class="strong" title=${s.agent}>${name}</p>
      <p class="muted">${s.address && html`<span class="address">${s.address}</span>, `}last
        seen <${Time} at=${s.seenAt} how="ago" />, signed in <${Time} at=${s.createdAt} how="date" /></p></div>
    ${s.current ? html`<${Badge} value="ACTIVE" text="This session" />`
      : html`<${ActionButton} kind="small danger-quiet" run=${act} done="Session ended."
          aria-label=${'End the session of ' + name} data-test="session-end">End<//>`}</li>`;
}

function EndAll({ others, onClose, changed }) {
  const run = useMutation(endAll, { once: false });
  const action = async () => {
    await run({ others });
    if (others) {
      changed();
      return true;
    }
    location.assign('/sign-in');
    return false;
  };
  return others ? html`<${Confirm} title="Sign out of other sessions?" name="sign-out-others"
    submit="Sign out of other sessions"
      onClose=${onClose} action=${action}>
      <p>All your other sessions end. Staff tokens keep working.</p><//>`
    : html`<${Confirm} title="Sign out everywhere?" name="sign-out-everywhere" submit="Sign out everywhere"
      onClose=${onClose} action=${action}>
      <p>All your sessions end, including this one. Staff tokens keep working.</p><//>`;
}
