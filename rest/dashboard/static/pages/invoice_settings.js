// Settings of invoices: who issues them, when, and with which numbers.
import { html } from '../lib.js';
import { useQuery } from '../context.js';
import { Page, Card, Pending } from '../ui.js';
import { Area, Field, Form, Select, optionalNumber, useAction, errors } from '../form.js';
import { AddressFields, addressFields, addressOf } from '../address_fields.js';
import { settings } from '../selling.js';
import { to } from '../route.js';

const read = `{ invoiceSettings { issue name address { ${addressFields} } taxNumber registration bank note creditNote
  invoicePrefix creditPrefix invoiceNext creditNext version } taxSettings { vatId } }`;
const update = `mutation InvoiceSettingsUpdate($expectedVersion: Long!, $input: InvoiceSettingsInput!) {
  invoiceSettingsUpdate(expectedVersion: $expectedVersion, input: $input) {
    invoiceSettings { version } ${errors} } }`;

const times = [['MANUAL', 'When you issue them'], ['PLACED', 'When the order is placed'],
  ['PAID', 'When the order is paid']];
const noAddress = { line1: '', city: '', country: '' };

export function InvoiceSettings() {
  const query = useQuery(read);
  const now = query.data?.invoiceSettings;
  const action = useAction(update, (v) => ({ expectedVersion: now.version, input: {
    issue: v.get('issue'), name: v.get('name'), address: addressOf(v, 'address') ?? noAddress,
    taxNumber: v.get('taxNumber').trim(), registration: v.get('registration').trim(), bank: v.get('bank').trim(),
    note: v.get('note').trim(), creditNote: v.get('creditNote').trim(),
    invoicePrefix: v.get('invoicePrefix'), creditPrefix: v.get('creditPrefix'),
    invoiceNext: optionalNumber(v, 'invoiceNext'), creditNext: optionalNumber(v, 'creditNext'),
  } }), 'Invoice settings saved.', query.reload);
  return html`<${Page} title="Invoices" back=${settings}
    lead="Invoices keep what they say when they are issued. Changes here apply to later ones.">
    <${Card} title="Invoices and credit notes" name="invoice-settings">
      ${!now ? html`<${Pending} of=${query} rows=${6} />`
        : html`<${Form} name="invoices" submit="Save" action=${action} onStale=${query.reload} key=${now.version}>
            <${Select} name="issue" label="Issue invoices" value=${now.issue} options=${times}
              hint="Refunds of an order with an invoice issue a credit note by themselves." />
            <${Field} name="name" label="Legal name" value=${now.name} required maxlength="255"
              autocomplete="organization" />
            <${AddressFields} name="address" legend="Your address" of=${now.address} />
            <p class="muted">VAT ID: ${query.data.taxSettings.vatId ?? 'none'}. <a href=${to('/settings/tax')}>Change
              it under Tax</a></p>
            <${Field} name="taxNumber" label="Tax number" optional value=${now.taxNumber} maxlength="64"
              autocomplete="off" hint="Files for EN 16931 need a VAT ID or a tax number." />
            <${Field} name="registration" label="Registration" optional value=${now.registration} maxlength="255"
              autocomplete="off" hint="For example, HRB 12345, Berlin" />
            <${Area} name="bank" label="Bank details" optional value=${now.bank} maxlength="1000" rows="2" />
            <${Area} name="note" label="Text on invoices" optional value=${now.note} maxlength="1000" rows="3" />
            <${Area} name="creditNote" label="Text on credit notes" optional value=${now.creditNote} maxlength="1000"
              rows="3" />
            <div class="pair">
              <${Field} name="invoicePrefix" label="Prefix of invoices" value=${now.invoicePrefix} maxlength="20"
                autocomplete="off" hint="For example, INV- or 2026-. Each prefix has numbers of its own." />
              <${Field} name="invoiceNext" label="Next number" value=${now.invoiceNext} inputmode="numeric"
                autocomplete="off" hint="Fixed once the prefix has invoices." />
            </div>
            <div class="pair">
              <${Field} name="creditPrefix" label="Prefix of credit notes" value=${now.creditPrefix} maxlength="20"
                autocomplete="off" />
              <${Field} name="creditNext" label="Next number of credit notes" value=${now.creditNext}
                inputmode="numeric" autocomplete="off" />
            </div>
          <//>`}
    <//>
  <//>`;
}
