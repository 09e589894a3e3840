// Choices of the usual tax rates.
import { countryName } from './countries.js';
import { usualRates } from './tax_rates.js';

const defaults = { category: 'standard', relation: 'REPLACE', shipping: true, region: null };

/** A choice is a preset, "EU", or one of its countries, "EU/DE". Returns undefined for none. */
function find(choice) {
  const [key, country] = (choice ?? '').split('/');
  const preset = usualRates.presets.find((p) => p.key === key);
  return preset && { ...preset, rates: preset.rates.filter((r) => !country || r.country === country) };
}

/** The choices as [value, text]. */
export const presetOptions = () => usualRates.presets.flatMap((p) => {
  const countries = [...new Set(p.rates.map((r) => r.country))];
  return [[p.key, p.name], ...countries.length === 1 ? []
    : countries.map((c) => [p.key + '/' + c, p.name + ': ' + countryName(c)])];
});

/** The choice for a country, with those of its preset's other countries if everywhere is set; "" for none. */
export function presetOf(country, everywhere) {
  const preset = usualRates.presets.find((p) => p.rates.some((r) => r.country === country));
  return !preset ? '' : everywhere ? preset.key : preset.key + '/' + country;
}

/** The rates of a choice, undefined for none. */
export const presetRates = (choice) => find(choice)?.rates.map((r) => ({ ...defaults, ...r }));

/** Where the rates of a choice come from. */
export function aboutPreset(choice) {
  const p = find(choice);
  const date = new Date(usualRates.as_of).toLocaleDateString(undefined, { dateStyle: 'long', timeZone: 'UTC' });
  return `As of ${date}. Source: ${p.source}. ${p.note ?? ''} Check them before you sell.`;
}
