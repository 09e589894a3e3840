// Times are RFC 3339 in UTC; people see them in the store's time zone.

const formats = new Map();

function format(zone, kind) {
  const key = zone + ' ' + kind;
  if (!formats.has(key)) {
    const locale = kind === 'parts' ? 'en-GB' : undefined;
    formats.set(key, new Intl.DateTimeFormat(locale, { timeZone: zone, ...kinds[kind] }));
  }
  return formats.get(key);
}

const kinds = {
  time: { dateStyle: 'medium', timeStyle: 'short' },
  second: { dateStyle: 'medium', timeStyle: 'medium' },
  date: { dateStyle: 'medium' },
  exact: { dateStyle: 'full', timeStyle: 'long' },
  day: { day: 'numeric', month: 'short' },
  clock: { hour: '2-digit', minute: '2-digit' },
  parts: {
    year: 'numeric', month: '2-digit', day: '2-digit',
    hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23',
  },
};

/** @param {string} at @param {string} zone */
export const dateTime = (at, zone) => format(zone, 'time').format(new Date(at));
export const toSecond = (at, zone) => format(zone, 'second').format(new Date(at));
export const dateOf = (at, zone) => format(zone, 'date').format(new Date(at));
export const exact = (at, zone) => format(zone, 'exact').format(new Date(at));
export const clock = (at, zone) => format(zone, 'clock').format(new Date(at));

/** The day of an instant in few letters. */
export const shortDay = (at, zone) => format(zone, 'day').format(new Date(at));

/** A calendar day, "2026-01-31", in few letters. It is a day, not an instant: no zone moves it. */
export const dayLabel = (day) => format('UTC', 'day').format(new Date(day + 'T00:00:00Z'));
export const dayName = (day) => format('UTC', 'date').format(new Date(day + 'T00:00:00Z'));

function localParts(at, zone) {
  return Object.fromEntries(format(zone, 'parts').formatToParts(at).map((p) => [p.type, p.value]));
}

/** How far the zone is ahead of UTC at an instant, in milliseconds. */
function ahead(ms, zone) {
  const w = localParts(ms, zone);
  return Date.UTC(w.year, w.month - 1, w.day, w.hour, w.minute, w.second) - Math.floor(ms / 1000) * 1000;
}

/** The calendar day of an instant in a zone, "2026-01-31". */
export function dayOf(at, zone) {
  const w = localParts(new Date(at), zone);
  return w.year + '-' + w.month + '-' + w.day;
}

/**
 * The instant at which a day begins in a zone. Where clocks jump over midnight
 * it is the first instant after the jump.
 * @param {string} day "2026-01-31"
 * @param {string} zone
 * @returns {string} RFC 3339 in UTC
 */
export function startOfDay(day, zone) {
  const midnight = Date.parse(day + 'T00:00:00Z');
  let ms = midnight - ahead(midnight, zone);
  ms = midnight - ahead(ms, zone);
  if (dayOf(ms, zone) < day) {
    ms += 3600e3;
  }
  return new Date(ms).toISOString();
}

/** An instant as a local clock shows it, to the second: "2026-01-31T18:30:00". */
export function localTime(at, zone) {
  const w = localParts(new Date(at), zone);
  return w.year + '-' + w.month + '-' + w.day + 'T' + w.hour + ':' + w.minute + ':' + w.second;
}

/**
 * The instants at which a local clock shows a time, the earlier one first: two where clocks are set back, and
 * one close to the jump for a time that they jump over.
 * @param {string} text "2026-01-31T18:30", with or without seconds
 * @param {string} zone
 * @returns {string[]} RFC 3339 in UTC; none for anything else
 */
export function localInstants(text, zone) {
  const shown = Date.parse(text + 'Z');
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) || Number.isNaN(shown)) {
    return [];
  }
  const day = 86400e3;
  const near = [shown - day, shown + day].map((ms) => shown - ahead(ms, zone)); // by the offsets before and after
  const exact = near.filter((ms) => ms + ahead(ms, zone) === shown).sort((a, b) => a - b);
  const found = exact.length > 0 ? [...new Set(exact)] : [shown - ahead(near[0], zone)];
  return found.map((ms) => new Date(ms).toISOString());
}

/** The instant at which a local clock shows a time; of two the earlier one, and null for anything else. */
export const atLocalTime = (text, zone) => localInstants(text, zone)[0] ?? null;

/** How far the zone is ahead of UTC at an instant: "UTC+02:00". */
export function offsetAt(at, zone) {
  const minutes = Math.round(ahead(Date.parse(at), zone) / 60e3);
  const two = (n) => String(Math.floor(n)).padStart(2, '0');
  return 'UTC' + (minutes < 0 ? '-' : '+') + two(Math.abs(minutes) / 60) + ':' + two(Math.abs(minutes) % 60);
}

/** The day after, "2026-02-01". */
export function nextDay(day) {
  return new Date(Date.parse(day + 'T00:00:00Z') + 86400e3).toISOString().slice(0, 10);
}

const steps = [['day', 86400], ['hour', 3600], ['minute', 60]];
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** How long ago an instant was, in words. */
export function ago(at) {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) {
      return relative.format(Math.trunc(seconds / length), unit);
    }
  }
  return relative.format(0, 'minute');
}
