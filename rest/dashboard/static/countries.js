// Countries and their regions, by their names.
import { html, useEffect, useLayoutEffect, useRef, useState } from './lib.js';
import { send } from './api.js';
import { Field, Select, useWrong } from './form.js';
import { Icon } from './icons.js';

/** The name of a country in the reader's language. */
export function countryName(code) {
  try {
    return new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

const kept = new Map(); // answers that do not change, by their questions

/** What a question was answered; null before. It is asked once, however many fields need it. */
function useKept(text, variables = {}) {
  const [data, set] = useState(null);
  const key = text + JSON.stringify(variables);
  useEffect(() => {
    let wanted = Boolean(text);
    if (text && !kept.has(key)) {
      kept.set(key, send(text, variables));
    }
    kept.get(key)?.then((a) => wanted && set(a.data), () => kept.delete(key));
    return () => {
      wanted = false;
      set(null);
    };
  }, [key]);
  return data;
}

/** All countries, as code and name, by their names; empty until they are read. */
function useCountries() {
  const codes = useKept('{ countries }')?.countries ?? [];
  return codes.map((code) => [code, countryName(code)]).sort((a, b) => a[1].localeCompare(b[1]));
}

/** One country. One that was withdrawn since stays. */
export function CountrySelect({ value, ...rest }) {
  const all = useCountries();
  const own = value && !all.some(([code]) => code === value) ? [[value, countryName(value)]] : [];
  return html`<${Select} value=${value} options=${[['', ''], ...own, ...all]} ...${rest} />`;
}

const plain = (text) => text.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

const regions = `query Regions($code: String!) { country(code: $code) { regions { code name written } } }`;

/**
 * A region of a country: one of those that it has, or any text where none are known. What stood there stays.
 * @param {{country: string, value: string, by: 'code'|'written'}} props by says what is kept
 */
export function RegionField({ country, value, by = 'written', maxlength, ...rest }) {
  const list = useKept(country ? regions : '', { code: country })?.country?.regions ?? [];
  if (list.length === 0) {
    return html`<${Field} value=${value} maxlength=${maxlength} autocomplete="off" ...${rest} />`;
  }
  const said = plain(value ?? '');
  const same = said && list.find((r) => [r.code, r.name, r.written].some((s) => plain(s) === said));
  const own = said && !same ? [[value, value]] : [];
  return html`<${Select} key=${country} value=${same ? same[by] : value}
    options=${[['', ''], ...own, ...list.map((r) => [r[by], r.name])]} ...${rest} />`;
}

/** Several countries: names are typed, and can be taken away again. */
export function Countries({ name, label, value, hint }) {
  const all = useCountries();
  const wrong = useWrong(name);
  const [chosen, set] = useState(value);
  const [unknown, miss] = useState('');
  const ref = useRef(null);
  const own = 'countries-' + name;
  const missing = unknown && `Unknown country: ${unknown}.`;
  const said = missing || wrong?.join(' ');
  useLayoutEffect(() => ref.current.setCustomValidity(missing), [missing]);
  const means = (text) => ([code, called]) => code === text.toUpperCase() || plain(called) === plain(text);
  const find = (text) => all.find(means(text))?.[0];
  const add = () => {
    const parts = ref.current.value.split(/[,;\n]+/).map((s) => s.trim()).filter(Boolean);
    const others = parts.filter((s) => !find(s));
    set((old) => [...new Set([...old, ...parts.map(find).filter(Boolean)])]);
    ref.current.value = others.join(', ');
    miss(others[0] ?? '');
  };
  useEffect(() => { // what was typed before the names were there
    unknown && add();
  }, [all.length]);
  const enter = (e) => {
    if (e.key === 'Enter') {
      e.preventDefault(); // the form around it is not sent
      add();
    }
  };
  return html`<div class="field" data-test=${name}>
    <label for=${own}>${label}</label>
    ${chosen.length > 0 && html`<ul class="tags" data-test="chosen-countries">${chosen.map((code) => html`<li
      key=${code} class="tag"><input type="hidden" name=${name} value=${code} /><bdi>${countryName(code)}</bdi>
      <button type="button" class="icon-button" aria-label=${'Remove ' + countryName(code)}
        onClick=${() => set(chosen.filter((c) => c !== code))}><${Icon} name="close" size="14" /></button></li>`)}
    </ul>`}
    <input id=${own} name=${name + '.typed'} ref=${ref} list=${own + '-all'}
      autocomplete="off" onChange=${add} onKeyDown=${enter} aria-invalid=${said ? 'true' : undefined}
      aria-describedby=${own + '-hint' + (said ? ' ' + own + '-error' : '')} />
    <datalist id=${own + '-all'}>
      ${all.map(([code, called]) => html`<option key=${code} value=${called} />`)}</datalist>
    <p class="hint" id=${own + '-hint'}>${hint}</p>
    ${said && html`<p class="wrong" id=${own + '-error'} data-test=${'error-' + name}>${said}</p>`}
  </div>`;
}
