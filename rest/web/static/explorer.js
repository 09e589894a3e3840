// The GraphQL explorer. Everything that is shown is set as text, never as
// markup, so nothing a server answers can become part of the page. The token is
// read from its field when a request is sent and kept nowhere else.
'use strict';

const endpoint = '/graphql';
const at = (id) => document.getElementById(id);

// element makes a node; children are nodes or texts.
function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value);
  }
  e.append(...children);
  return e;
}

function say(text, kind = '') {
  at('state').textContent = text;
  at('state').className = kind;
}

// object reads a JSON object from an editor, and marks the editor when it is none.
function object(id) {
  const editor = at(id);
  try {
    const value = JSON.parse(editor.value.trim() || '{}');
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('want an object');
    editor.removeAttribute('aria-invalid');
    return value;
  } catch (error) {
    editor.setAttribute('aria-invalid', 'true');
    throw new Error(`${id}: ${error.message}`);
  }
}

async function send(body, headers = {}) {
  const all = new Headers({ Accept: 'application/graphql-response+json, application/json;q=0.9' });
  for (const [name, value] of Object.entries(headers)) all.set(name, String(value));
  all.set('Content-Type', 'application/json');
  const token = at('token').value.trim();
  if (token) all.set('Authorization', `Bearer ${token}`);
  const response = await fetch(endpoint, {
    method: 'POST', headers: all, body: JSON.stringify(body),
    credentials: 'same-origin', redirect: 'error', cache: 'no-store',
  });
  const text = await response.text();
  let json = null;
  try { json = JSON.parse(text); } catch { /* shown as text */ }
  return { response, text, json };
}

// operationName picks the operation around the cursor, where there are several.
function operationName(query, cursor) {
  const plain = query.replace(/"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|#[^\n]*/g, (s) => ' '.repeat(s.length));
  const found = [...plain.matchAll(/(?:^|[}\s])(?:query|mutation|subscription)\s+([A-Za-z_]\w*)/g)];
  if (found.length < 2) return undefined;
  const before = found.filter((m) => m.index <= cursor);
  return (before.at(-1) ?? found[0])[1];
}

function showErrors(errors) {
  const list = at('errors');
  list.replaceChildren();
  for (const error of errors) {
    const where = error.locations?.[0];
    const path = error.path ? ` at ${error.path.join('.')}` : '';
    const code = error.extensions?.code ? ` [${error.extensions.code}]` : '';
    const item = element('li', {}, `✗ ${error.message}${path}${code} `);
    if (where) {
      const text = `line ${where.line}, column ${where.column}`;
      item.append(element('button', { type: 'button', class: 'link', onclick: () => jump(where) }, text));
    }
    list.append(item);
  }
}

// jump puts the cursor where an error is.
function jump({ line, column }) {
  const editor = at('query');
  const start = editor.value.split('\n').slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + column - 1;
  editor.focus();
  editor.setSelectionRange(start, start + 1);
}

async function run() {
  const query = at('query').value;
  let body, headers;
  try {
    body = { query, variables: object('variables'), operationName: operationName(query, at('query').selectionStart) };
    headers = object('headers');
  } catch (error) {
    say(`✗ ${error.message}`, 'bad');
    return;
  }
  at('run').disabled = true;
  say('Running…');
  const started = performance.now();
  try {
    const { response, text, json } = await send(body, headers);
    const took = Math.round(performance.now() - started);
    const errors = Array.isArray(json?.errors) ? json.errors : [];
    showErrors(errors);
    at('result').textContent = json === null ? text : JSON.stringify(json, null, 2);
    const good = response.ok && errors.length === 0;
    const id = response.headers.get('X-Request-Id');
    const count = errors.length ? `, ${errors.length} error${errors.length > 1 ? 's' : ''}` : '';
    const outcome = `${good ? '✓' : '✗'} ${response.status} in ${took} ms`;
    say(`${outcome}${count}${id ? `, ${id}` : ''}`, good ? 'good' : 'bad');
  } catch (error) {
    showErrors([]);
    say(`✗ ${error.message}`, 'bad');
  } finally {
    at('run').disabled = false;
  }
}

// The schema sidebar.

const introspection = `query Schema {
  __schema {
    queryType { name } mutationType { name }
    types {
      kind name description
      fields(includeDeprecated: true) {
        name description isDeprecated deprecationReason args { ...Input } type { ...Ref }
      }
      inputFields { ...Input }
      enumValues(includeDeprecated: true) { name description isDeprecated }
      interfaces { name } possibleTypes { name }
    }
  }
}
fragment Input on __InputValue { name description defaultValue type { ...Ref } }
fragment Ref on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`;

const schema = { types: new Map(), roots: [], history: [] };

async function load() {
  at('load').disabled = true;
  try {
    const { response, json } = await send({ query: introspection });
    const data = json?.data?.__schema;
    if (!data) throw new Error(json?.errors?.[0]?.message ?? `introspection answered ${response.status}`);
    schema.types = new Map(data.types.filter((t) => !t.name.startsWith('__')).map((t) => [t.name, t]));
    schema.roots = [data.queryType?.name, data.mutationType?.name].filter(Boolean);
    schema.history = [];
    at('load').textContent = 'Reload schema';
    search();
  } catch (error) {
    at('schema').replaceChildren(element('p', { role: 'alert' }, `✗ ${error.message}`));
  } finally {
    at('load').disabled = false;
  }
}

const named = (type) => (type.name ? type : named(type.ofType));
function written(type) {
  if (type.kind === 'NON_NULL') return `${written(type.ofType)}!`;
  if (type.kind === 'LIST') return `[${written(type.ofType)}]`;
  return type.name;
}

const typeButton = (name, label = name) =>
  element('button', { type: 'button', class: 'link', onclick: () => open(name) }, label);

function open(name) {
  if (!schema.types.has(name)) return;
  schema.history.push(name);
  at('search').value = '';
  show();
}

// search lists the types and fields whose names contain the words, or all types.
function search() {
  const wanted = at('search').value.trim().toLowerCase();
  at('back').hidden = true;
  const items = [];
  const names = [...schema.types.keys()].sort((a, b) =>
    schema.roots.includes(b) - schema.roots.includes(a) || a.localeCompare(b));
  for (const name of names) {
    const type = schema.types.get(name);
    if (name.toLowerCase().includes(wanted)) {
      items.push(element('li', {}, typeButton(name), ` ${type.kind.toLowerCase().replace('_', ' ')}`));
    }
    if (!wanted) continue;
    for (const field of [...(type.fields ?? []), ...(type.inputFields ?? [])]) {
      if (field.name.toLowerCase().includes(wanted)) {
        items.push(element('li', {}, typeButton(name, `${name}.${field.name}`)));
      }
    }
  }
  at('schema').replaceChildren(items.length
    ? element('ul', {}, ...items.slice(0, 200))
    : element('p', {}, schema.types.size ? 'Nothing is called like this.' : 'Load the schema first.'));
}

function field(f) {
  const item = element('li', {}, element('code', f.isDeprecated ? { class: 'gone' } : {}, f.name));
  if (f.args?.length) {
    item.append('(');
    f.args.forEach((a, i) => item.append(i ? ', ' : '', `${a.name}: `,
      typeButton(named(a.type).name, written(a.type)), a.defaultValue ? ` = ${a.defaultValue}` : ''));
    item.append(')');
  }
  if (f.type) item.append(': ', typeButton(named(f.type).name, written(f.type)));
  const words = [f.description, f.deprecationReason && `Deprecated: ${f.deprecationReason}`].filter(Boolean).join(' ');
  if (words) item.append(element('p', {}, words));
  return item;
}

// show draws the type at the end of the history, or the list.
function show() {
  const type = schema.types.get(schema.history.at(-1));
  if (!type) return search();
  at('back').hidden = false;
  const parts = [element('h3', { tabindex: '-1' }, type.name), element('p', {}, type.description ?? '')];
  for (const list of [type.fields, type.inputFields, type.enumValues]) {
    if (list?.length) parts.push(element('ul', {}, ...list.map(field)));
  }
  for (const [words, list] of [['Implements', type.interfaces], ['Can be', type.possibleTypes]]) {
    if (list?.length) {
      const links = list.flatMap((t, i) => [i ? ', ' : '', typeButton(t.name)]);
      parts.push(element('p', {}, `${words} `, ...links));
    }
  }
  at('schema').replaceChildren(...parts);
  parts[0].focus();
}

// Keys. Tab indents, but the one after Escape moves on, so no one is caught.
let leaving = false;
function edit(event) {
  const editor = event.target;
  if (event.key === 'Escape') {
    leaving = true;
  } else if (event.key === 'Tab' && !event.shiftKey && !leaving) {
    event.preventDefault();
    editor.setRangeText('  ', editor.selectionStart, editor.selectionEnd, 'end');
  } else if (event.key !== 'Shift') {
    leaving = false;
  }
}

for (const id of ['query', 'variables', 'headers']) {
  at(id).addEventListener('keydown', edit);
  at(id).addEventListener('focus', () => { leaving = false; });
}
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (!at('run').disabled) run();
  }
});
at('run').addEventListener('click', run);
at('load').addEventListener('click', load);
at('back').addEventListener('click', () => { schema.history.pop(); show(); });
at('search').addEventListener('input', () => { schema.history = []; search(); });
