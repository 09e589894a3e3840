// A new import: the file, what its columns become, and whether to try it first.
import { html, useState } from '../lib.js';
import { go } from '../context.js';
import { Page, Card, Alert } from '../ui.js';
import { Check, Field, FieldError, Form, Select, useMutation } from '../form.js';
import { Table } from '../list.js';
import { messageOf, send } from '../api.js';
import { bytes } from '../export_state.js';
import { importKinds, importPath, startImport } from '../import_state.js';
import { base64 } from '../upload.js';
import { to } from '../route.js';

const preview = `query ImportPreview($kind: ImportKind!, $text: String!) { importPreview(kind: $kind, text: $text) {
  source members columns { column member samples } } }`;

const maxBytes = 20 << 20; // the server's limit of a file, in bytes
const headBytes = 60_000; // of 64 KiB, because a cut character grows

const sources = { storefront: 'A file of this service', shopify: 'An export of Shopify',
  woocommerce: 'An export of WooCommerce', medusa: 'An export of Medusa', jsonl: 'JSON Lines',
  unknown: 'A file of another system' };

const hints = {
  PRODUCTS: 'A product is found by its external reference or else by its handle; a new one is created.',
  INVENTORY: 'A variant is found by its ID or else by its SKU. A delta needs a reference, and is applied only once.',
  CUSTOMERS: 'A customer is found by the email address. A subscription needs the time and the source of the consent.',
  DISCOUNTS: 'A discount is found by its code.',
  ORDERS: 'Past orders are found by their external number. No email is sent, and no stock is taken.',
};

export function ImportNew() {
  const [shown, setShown] = useState(null);
  const [problem, setProblem] = useState('');
  const run = useMutation(startImport);
  const chosen = async ({ target: { form } }) => {
    const { kind: { value: kind }, file: target } = form.elements;
    const file = target.files[0];
    target.setCustomValidity(file?.size > maxBytes
      ? 'The file is ' + bytes(file.size) + '. The maximum is 20 MiB. Larger files are imported by address.' : '');
    setShown(null);
    setProblem('');
    if (!file) {
      return;
    }
    try {
      const text = await file.slice(0, headBytes).text();
      const { importPreview } = await send(preview, { kind, text });
      setShown({ ...importPreview, kind });
    } catch (err) {
      setProblem(messageOf(err));
    }
  };
  const action = async (v) => {
    const file = v.get('file');
    const url = v.get('url')?.trim();
    const input = { kind: v.get('kind'), dryRun: v.has('dryRun') };
    if (file?.size > 0) {
      const { signal } = new AbortController();
      Object.assign(input, { fileName: file.name.slice(0, 255),
        content: await base64(file, { progress: () => {}, signal }), mapping: mappingOf(v, shown) });
    } else if (url) {
      input.url = url;
    } else {
      throw new FieldError('file', 'Choose a file, or enter an address.');
    }
    const done = await run({ input });
    go(to(importPath(done.import.id)), { replace: true });
  };
  return html`<${Page} title="New import" back=${{ href: to('/imports'), text: 'Imports' }}>
    <${Form} name="import" submit="Start" busyText="Starting" action=${action}>
      <${Card} title="File">
        <${Select} name="kind" label="Kind" options=${Object.entries(importKinds)} onChange=${chosen} />
        <${Field} name="file" label="File" type="file" optional onChange=${chosen}
          accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv" hint="CSV or JSON Lines in UTF-8, up to 20 MiB." />
        <${Field} name="url" label="Address" type="url" optional maxlength="2048"
          hint="For larger files, up to 2 GiB. The address begins with https." />
        <${Check} name="dryRun" label="Try it first" value=${true}
          hint="Shows what would happen and what would fail, and saves nothing." />
      <//>
      ${problem && html`<${Alert}><p role="alert" data-test="import-problem">${problem}</p><//>`}
      ${shown && html`<${Columns} of=${shown} />`}
    <//>
  <//>`;
}

/** The chosen members of the columns that differ from the usual ones. */
const mappingOf = (v, shown) => (shown?.columns ?? [])
  .map((c, n) => ({ column: c.column, member: v.get('column-' + n) || null, usual: c.member }))
  .filter((c) => c.member !== c.usual).map(({ column, member }) => ({ column, member }));

function Columns({ of: p }) {
  const options = [['', 'Not imported'], ...p.members.map((m) => [m, m.replaceAll('_', ' ')])];
  const columns = [
    { name: 'column', head: 'Column', main: true, cell: (c) => html`<bdi id=${'name-' + c.n}>${c.column}</bdi>` },
    { name: 'samples', head: 'First values', cell: (c) => html`<span class="muted verbatim short">
      ${c.samples.join(', ')}</span>` },
    { name: 'member', head: 'Becomes', cell: (c) => html`<select name=${'column-' + c.n}
      aria-labelledby=${'name-' + c.n} data-test="import-column">${options.map(([value, text]) => html`<option
        key=${value} value=${value} selected=${value === (c.member ?? '')}>${text}</option>`)}</select>` },
  ];
  return html`<${Card} title="Columns" name="import-columns">
    <p class="muted">${sources[p.source] ?? p.source}. ${hints[p.kind]}</p>
    ${p.columns.length > 0 && html`<${Table} caption="Columns" columns=${columns} id=${(c) => c.n}
      rows=${p.columns.map((c, n) => ({ ...c, n }))} />`}
  <//>`;
}
