// Formatting and parsing of times. Times are RFC 3339 in UTC and are shown in the store's time
// zone.

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

export const dateTime = (at, zone) => format(zone, 'time').format(new Date(at));
export const toSecond = (at, zone) => format(zone, 'second').format(new Date(at));
export const dateOf = (at, zone) => format(zone, 'date').format(new Date(at));
export const exactTime = (at, zone) => format(zone, 'exact').format(new Date(at));
export const clock = (at, zone) => format(zone, 'clock').format(new Date(at));

/** The day of an instant in short form. */
export const shortDay = (at, zone) => format(zone, 'day').format(new Date(at));

/** A calendar day, "2026-01-31", in short form. It has no time zone. */
export const dayLabel = (day) => format('UTC', 'day').format(new Date(day + 'T00:00:00Z'));
export const dayName = (day) => format('UTC', 'date').format(new Date(day + 'T00:00:00Z'));

function localParts(at, zone) {
  return Object.fromEntries(format(zone, 'parts').formatToParts(at).map((p) => [p.type, p.value]));
}

/** The zone's offset from UTC at an instant, in milliseconds. */
function offsetOf(ms, zone) {
  const w = localParts(ms, zone);
  return Date.UTC(w.year, w.month - 1, w.day, w.hour, w.minute, w.second) - Math.floor(ms / 1000) * 1000;
}

/** The calendar day of an instant in a zone, "2026-01-31". */
export function dayOf(at, zone) {
  const w = localParts(new Date(at), zone);
  return w.year + '-' + w.month + '-' + w.day;
}

/**
 * Returns the instant at which a day begins in a zone. If clocks skip midnight, it is the first
 * instant after that.
 * @param {string} day "2026-01-31"
 * @param {string} zone
 * @returns {string} RFC 3339 in UTC
 */
export function startOfDay(day, zone) {
  const midnight = Date.parse(day + 'T00:00:00Z');
  let ms = midnight - offsetOf(midnight, zone);
  ms = midnight - offsetOf(ms, zone);
  if (dayOf(ms, zone) < day) {
    ms += 3600e3;
  }
  return new Date(ms).toISOString();
}

/** The local time of an instant, "2026-01-31T18:30:00". */
export function localTime(at, zone) {
  const w = localParts(new Date(at), zone);
  return w.year + '-' + w.month + '-' + w.day + 'T' + w.hour + ':' + w.minute + ':' + w.second;
}

/**
 * Returns the instants at which a clock in the zone shows a local time, earliest first: two if
 * clocks are set back over it, and one near the change if they skip it.
 * @param {string} text "2026-01-31T18:30", with or without seconds
 * @param {string} zone
 * @returns {string[]} RFC 3339 in UTC; empty for an invalid text
 */
export function localInstants(text, zone) {
  const shown = Date.parse(text + 'Z');
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) || Number.isNaN(shown)) {
    return [];
  }
  const day = 86400e3;
  const near = [shown - day, shown + day].map((ms) => shown - offsetOf(ms, zone)); // by the offsets before and after
  const exact = near.filter((ms) => ms + offsetOf(ms, zone) === shown).sort((a, b) => a - b);
  const found = exact.length > 0 ? [...new Set(exact)] : [shown - offsetOf(near[0], zone)];
  return found.map((ms) => new Date(ms).toISOString());
}

/** The earliest instant of a local time; null for an invalid text. */
export const atLocalTime = (text, zone) => localInstants(text, zone)[0] ?? null;

/** The zone's offset from UTC at an instant: "UTC+02:00". */
export function offsetAt(at, zone) {
  const minutes = Math.round(offsetOf(Date.parse(at), zone) / 60e3);
  const two = (n) => String(Math.floor(n)).padStart(2, '0');
  return 'UTC' + (minutes < 0 ? '-' : '+') + two(Math.abs(minutes) / 60) + ':' + two(Math.abs(minutes) % 60);
}

/** Reports whether a text is a calendar day, "2026-01-31". */
export const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text ?? '');

/** The instants at which the days of a filter begin and end; undefined for unset ones. */
export const dayRange = ({ from, to }, zone) => ({
  from: isDay(from) ? startOfDay(from, zone) : undefined, to: isDay(to) ? startOfDay(nextDay(to), zone) : undefined,
});

export function nextDay(day) {
  return new Date(Date.parse(day + 'T00:00:00Z') + 86400e3).toISOString().slice(0, 10);
}

const steps = [['day', 86400], ['hour', 3600], ['minute', 60]];
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** The time since an instant in words: "3 hours ago". */
export function ago(at) {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length) {
      return relative.format(Math.trunc(seconds / length), unit);
    }
  }
  return relative.format(0, 'minute');
}
