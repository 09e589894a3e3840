// Fields for countries, their regions, and languages.
import { html, useEffect, useLayoutEffect, useRef, useState } from './lib.js';
import { send } from './api.js';
import { Field, Select, onEnter, useFieldError } from './form.js';
import { Icon } from './icons.js';
import { countriesWithCurrency } from './money.js';

/** The name of a country in the browser's language. */
export function countryName(code) {
  try {
    return new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** The time zones of a country, if the browser knows them. */
function zonesOf(code) {
  const locale = new Intl.Locale('und', { region: code });
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}

/** The country of the browser's time zone, or else of its language; "" if neither tells. */
export function likelyCountry() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const byLanguage = new Intl.Locale(navigator.language).region ?? '';
  const inZone = countriesWithCurrency.filter((code) => zonesOf(code).includes(zone));
  return inZone.includes(byLanguage) ? byLanguage : inZone[0] ?? byLanguage;
}

const cache = new Map(); // promises of answers that do not change, by query

/** Lets fields ask again for the answer of a query, which has changed. */
export const forget = (text) => cache.delete(text + '{}');

/** Returns the data of a query; null while it loads. Each query is sent once, however many fields use it. */
export function useCached(text, variables = {}) {
  const [data, setData] = useState(null);
  const key = text + JSON.stringify(variables);
  useEffect(() => {
    let wanted = Boolean(text);
    if (text && !cache.has(key)) {
      cache.set(key, send(text, variables));
    }
    cache.get(key)?.then((a) => wanted && setData(a.data), () => cache.delete(key));
    return () => {
      wanted = false;
      setData(null);
    };
  }, [key]);
  return data;
}

/** All countries as [code, name], sorted by name; empty while they load. */
function useCountries() {
  const codes = useCached('{ countries }')?.countries ?? [];
  return codes.map((code) => [code, countryName(code)]).sort((a, b) => a[1].localeCompare(b[1]));
}

/** A select of one country. A withdrawn country stays an option if it is the value. */
export function CountrySelect({ value, ...rest }) {
  const all = useCountries();
  const own = value && !all.some(([code]) => code === value) ? [[value, countryName(value)]] : [];
  return html`<${Select} value=${value} options=${[['', ''], ...own, ...all]} ...${rest} />`;
}

/** The name of a language in the language itself. */
export function languageName(code) {
  const name = new Intl.DisplayNames([code], { type: 'language' }).of(code);
  return name[0].toLocaleUpperCase(code) + name.slice(1);
}

export function LanguageSelect({ value, ...rest }) {
  const codes = useCached('{ languages }')?.languages ?? [value];
  return html`<${Select} value=${value} options=${codes.map((code) => [code, languageName(code)])} ...${rest} />`;
}

const plain = (text) => text.normalize('NFKD').replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

const regions = `query Regions($code: String!) { country(code: $code) { regions { code name written } } }`;

/**
 * A select of a country's regions, or a text field if none are known. The current value stays an
 * option.
 * @param {{country: string, value: string, by: 'code'|'written'}} props by names the property that is submitted
 */
export function RegionField({ country, value, by = 'written', maxlength, ...rest }) {
  const list = useCached(country ? regions : '', { code: country })?.country?.regions ?? [];
  if (list.length === 0) {
    return html`<${Field} value=${value} maxlength=${maxlength} autocomplete="off" ...${rest} />`;
  }
  const typed = plain(value ?? '');
  const same = typed && list.find((r) => [r.code, r.name, r.written].some((s) => plain(s) === typed));
  const own = typed && !same ? [[value, value]] : [];
  return html`<${Select} key=${country} value=${same ? same[by] : value}
    options=${[['', ''], ...own, ...list.map((r) => [r[by], r.name])]} ...${rest} />`;
}

/** Selects several countries by typing their names. */
export function Countries({ name, label, value, hint }) {
  const all = useCountries();
  const serverError = useFieldError(name);
  const [chosen, setChosen] = useState(value);
  const [unknown, setUnknown] = useState('');
  const ref = useRef(null);
  const own = 'countries-' + name;
  const missing = unknown && `Unknown country: ${unknown}.`;
  const error = missing || serverError?.join(' ');
  useLayoutEffect(() => ref.current.setCustomValidity(missing), [missing]);
  const matches = (text) => ([code, called]) => code === text.toUpperCase() || plain(called) === plain(text);
  const find = (text) => all.find(matches(text))?.[0];
  const add = () => {
    const parts = ref.current.value.split(/[,;\n]+/).map((s) => s.trim()).filter(Boolean);
    const others = parts.filter((s) => !find(s));
    setChosen((old) => [...new Set([...old, ...parts.map(find).filter(Boolean)])]);
    ref.current.value = others.join(', ');
    setUnknown(others[0] ?? '');
  };
  useEffect(() => { // text entered before the countries loaded
    unknown && add();
  }, [all.length]);
  return html`<div class="field" data-test=${name}>
    <label for=${own}>${label}</label>
    ${chosen.length > 0 && html`<ul class="tags" data-test="chosen-countries">${chosen.map((code) => html`<li
      key=${code} class="tag"><input type="hidden" name=${name} value=${code} /><bdi>${countryName(code)}</bdi>
      <button type="button" class="icon-button" aria-label=${'Remove ' + countryName(code)}
        onClick=${() => setChosen(chosen.filter((c) => c !== code))}><${Icon} name="close" size="14" /></button></li>`)}
    </ul>`}
    <input id=${own} name=${name + '.typed'} ref=${ref} list=${own + '-all'}
      autocomplete="off" onChange=${add} onKeyDown=${onEnter(add)} aria-invalid=${error ? 'true' : undefined}
      aria-describedby=${own + '-hint' + (error ? ' ' + own + '-error' : '')} />
    <datalist id=${own + '-all'}>
      ${all.map(([code, called]) => html`<option key=${code} value=${called} />`)}</datalist>
    <p class="hint" id=${own + '-hint'}>${hint}</p>
    ${error && html`<p class="wrong" id=${own + '-error'} data-test=${'error-' + name}>${error}</p>`}
  </div>`;
}
