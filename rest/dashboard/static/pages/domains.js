// The store's own domains.
import { html, useState } from '../lib.js';
import { useApp, useQuery } from '../context.js';
import { Page, Alert, Badge, Card, Copyable, Empty, Facts, Pending, Time, Button, isolate } from '../ui.js';
import { ActionButton, Field, FormDialog, ConfirmMutation, text, useAction, useMutation, errors } from '../form.js';
import { ConnectionLost, usePoll } from '../live.js';
import { settings } from '../selling.js';

const read = `{ store { url storeHost } domains { id host status txtName txtValue cnameTarget preferred primary problem
  checkedAt checking certificate { expiresAt problem retryAt } } }`;
const add = `mutation DomainAdd($host: String!) { domainAdd(host: $host) { domain { id } ${errors} } }`;
const check = `mutation DomainCheck($id: ID!) { domainCheck(id: $id) { domain { id } ${errors} } }`;
const prefer = `mutation DomainPrefer($id: ID) { domainPrefer(id: $id) { domains { id } ${errors} } }`;
const remove = `mutation DomainRemove($id: ID!) { domainRemove(id: $id) { removedId ${errors} } }`;

/** Whether the state will change within seconds. */
const busy = (d) => d.checking || (d.certificate && d.status === 'CONNECTED' && !d.certificate.expiresAt &&
  !d.certificate.problem);

export function Domains() {
  const query = useQuery(read);
  const [dialog, setDialog] = useState(null);
  const close = () => setDialog(null);
  const { domains, store } = query.data ?? {};
  usePoll(query, domains?.some(busy) ?? false);
  const button = html`<${Button} kind="primary" icon="plus" act=${() => setDialog({ add: true })}
    test="domain-new">Add domain<//>`;
  return html`<${Page} title="Domains" back=${settings} actions=${button}
    lead="Use a domain that you own, such as www.example.com, as the address of your shop.">
    <${ConnectionLost} query=${query} />
    ${!domains ? html`<${Card}><${Pending} of=${query} rows=${4} /><//>`
      : html`<div class="stack" data-test="domains">
          <${Arrival} store=${store} domains=${domains} changed=${query.refresh} />
          ${domains.length === 0 && html`<${Card}><${Empty} title="No domains yet">
            <p>Add your domain here, then a record at the company where you registered it.</p><//><//>`}
          ${domains.map((d) => html`<${Domain} key=${d.id} of=${d} show=${setDialog} changed=${query.refresh} />`)}
        </div>`}
    ${dialog?.add && html`<${Add} onClose=${close} changed=${query.refresh} />`}
    ${dialog?.remove && html`<${Remove} of=${dialog.remove} onClose=${close} changed=${query.refresh} />`}
  <//>`;
}

function Arrival({ store, domains, changed }) {
  const run = useMutation(prefer);
  const wanted = domains.find((d) => d.preferred);
  const builtIn = async () => {
    await run({ id: null });
    changed();
  };
  return html`<${Card} title="Address of the shop" name="domain-arrival">
    <p><a href=${store.url} target="_blank" rel="noopener" class="url">${store.url}</a></p>
    <p class="muted">Visitors of the store's other addresses are redirected here.
      ${wanted && !wanted.primary && ' ' + wanted.host + ' takes over as soon as it is ready.'}</p>
    ${wanted && html`<p class="actions under"><${ActionButton} kind="small" run=${builtIn} onStale=${changed}
      done=${'Visitors arrive at ' + store.storeHost + '.'} test="domain-built-in">Use ${store.storeHost}<//></p>`}
  <//>`;
}

function Domain({ of: d, show, changed }) {
  const runCheck = useMutation(check, { once: false });
  const runPrefer = useMutation(prefer);
  const then = (run, variables) => async () => {
    await run(variables);
    changed();
  };
  const actions = html`
    <${ActionButton} kind="small" run=${then(runCheck, { id: d.id })} done=${'Checking ' + d.host + '.'}
      onStale=${changed} test="domain-check">Check now<//>
    ${!d.preferred && html`<${ActionButton} kind="small" run=${then(runPrefer, { id: d.id })}
      done=${'Visitors arrive at ' + d.host + ' when it is ready.'} onStale=${changed}
      test="domain-prefer">Make primary<//>`}
    <${Button} kind="small danger-quiet" act=${() => show({ remove: d })} label=${'Remove ' + d.host}
      test="domain-remove">Remove<//>`;
  return html`<${Card} title=${d.host} actions=${actions} name="domain">
    <${Facts} rows=${[
      ['Status', html`<span role="status"><${Status} of=${d} /></span>`],
      ['Certificate', certificateOf(d)],
      ['Last check', d.checking ? 'Checking…' : html`<${Time} at=${d.checkedAt} how="second" />`],
    ]} />
    ${d.problem && html`<${Alert} tone="info">${d.problem}<//>`}
    ${d.certificate?.problem && html`<${Alert} tone="info">${d.certificate.problem} The next attempt is at
      <${Time} at=${d.certificate.retryAt} />.<//>`}
    ${d.status !== 'CONNECTED' ? html`<${Records} of=${d} />`
      : html`<details><summary>DNS records</summary><${Records} of=${d} /></details>`}
  <//>`;
}

function Status({ of: d }) {
  if (d.status === 'CONNECTED') {
    return d.primary ? html`<${Badge} value="ACTIVE" text="Primary" />`
      : html`<${Badge} value="DONE" text=${d.preferred ? 'Connected' : 'Redirects to the primary address'} />`;
  }
  return d.status === 'FAILING' ? html`<${Badge} value="FAILING" text="DNS record is gone: restore it within a day" />`
    : html`<${Badge} value="PENDING" text="Waiting for the DNS record" />`;
}

function certificateOf({ certificate, status }) {
  if (!certificate || status === 'PENDING') {
    return null;
  }
  return certificate.expiresAt ? html`Valid until <${Time} at=${certificate.expiresAt} how="date" />`
    : certificate.problem ? 'Not issued' : 'Being issued…';
}

function Records({ of: d }) {
  return html`<h3>1. Prove that you own it</h3>
    <p>Add this TXT record and keep it: the store loses the domain a day after the record is gone.</p>
    <${Facts} rows=${[['Name', html`<${Copyable} text=${d.txtName} />`],
      ['Value', html`<${Copyable} text=${d.txtValue} />`]]} />
    <h3>2. Lead visitors here</h3>
    <p>For a subdomain such as www.example.com, add a CNAME record with this target. It also proves the domain. For a
      domain such as example.com, use an ALIAS or ANAME record, or an A record with the address of this service.</p>
    <${Facts} rows=${[['Name', html`<${Copyable} text=${d.host} />`],
      ['Target', html`<${Copyable} text=${d.cnameTarget} />`]]} />`;
}

function Add({ onClose, changed }) {
  const action = useAction(add, (v) => ({ host: text(v, 'host') ?? '' }), 'Domain added.', changed);
  return html`<${FormDialog} title="Add a domain" name="domain" submit="Add domain" onClose=${onClose} action=${action}>
    <${Field} name="host" label="Domain" required maxlength="253" autocomplete="off" inputmode="url"
      hint="For example, www.example.com." />
  <//>`;
}

function Remove({ of: d, onClose, changed }) {
  return html`<${ConfirmMutation} title=${'Remove ' + isolate(d.host) + '?'} name="domain-remove" submit="Remove"
    document=${remove} variables=${{ id: d.id }} done="Domain removed." changed=${changed} onClose=${onClose}>
    <p>The shop no longer answers there, and its links in sent emails stop working.</p><//>`;
}
