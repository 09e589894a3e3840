//go:build !race

package e2e

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// modules runs a function with modules of the dashboard.
const modules = `(async () => {
	const at = document.querySelector('script[type="module"]').src;
	const { $money: money, $dates: dates } = await import(at);
	const { csv } = await import(new URL('./csv.js', at).href);
	const read = (text, currency) => {
		try { return String(money.parseMoney(text, currency)); }
		catch (e) { return e instanceof RangeError ? 'refused' : String(e); }
	};
	return {
		read: [['12.30', 'EUR'], ['12,3', 'EUR'], ['12', 'EUR'], [' 7 ', 'EUR'], ['0', 'EUR'], ['1500', 'JPY'],
			['1.5', 'JPY'], ['1.234', 'KWD'],
			['1.234', 'EUR'], ['1,234.50', 'EUR'], ['-1', 'EUR'], ['1e3', 'EUR'], ['', 'EUR'],
			['90071992547409.91', 'EUR'], ['90071992547409.92', 'EUR'],
			['0.1', 'EUR'], ['0.29', 'EUR'], ['1.15', 'EUR']].map(([t, c]) => read(t, c)),
		plain: [[0, 'EUR'], [5, 'EUR'], [1230, 'EUR'], [1500, 'JPY'], [1, 'KWD'], [9007199254740991, 'EUR']]
			.map(([n, c]) => money.plain(n, c)),
		days: [['2026-03-29', 'Europe/Berlin'], ['2026-10-25', 'Europe/Berlin'], ['2026-07-01', 'Asia/Kolkata'],
			['2026-04-24', 'Africa/Cairo']].map(([d, z]) => dates.startOfDay(d, z)),
		// Every quarter of an hour around each change of the clock in a year comes back as one of those that its
		// text stands for; the text of one that is read is the text itself.
		lost: ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Tehran',
			'America/Sao_Paulo', 'Pacific/Chatham', 'Africa/Cairo', 'America/St_Johns'].flatMap((zone) => {
			const found = [];
			for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 86400e3) {
				if (dates.offsetAt(new Date(at).toISOString(), zone) ===
					dates.offsetAt(new Date(at + 86400e3).toISOString(), zone)) continue;
				for (let ms = at - 6 * 3600e3; ms < at + 30 * 3600e3; ms += 900e3) {
					const text = dates.localTime(ms, zone), is = dates.localInstants(text, zone);
					if (!is.includes(new Date(ms).toISOString()) || dates.atLocalTime(text, zone) !== is[0] ||
						is.some((t) => dates.localTime(Date.parse(t), zone) !== text)) found.push(zone + ' ' + text);
				}
			}
			return found;
		}),
		csv: csv(['a,b', 'c'], [['=1+1', -5], ['x"y\r\n', null], ['@a', '-b']]).split('\r\n'),
		walls: [['2026-07-01T18:30', 'Asia/Kolkata'], ['2026-03-29T03:00:05', 'Europe/Berlin'],
			['2026-10-24T23:30', 'Europe/Berlin'], ['2026-07-01', 'UTC'], ['', 'UTC']]
			.map(([w, z]) => { const at = dates.atLocalTime(w, z);
				return at ? at + ' ' + dates.localTime(at, z) : 'refused'; }),
	};
})()`

// Amounts that people type become the intended minor units or are refused; days begin in the
// store's time zone.
func TestBrowserModules(t *testing.T) {
	t.Parallel()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	b, f := p.browse(t), p.demo(t)
	b.signIn("/dashboard/settings", f.Stores[0].Owner)
	type found struct{ Read, Plain, Days, Walls, Lost, CSV []string }
	want := found{
		Lost: []string{},
		// Texts that a spreadsheet would run are quoted, amounts are not.
		CSV: []string{`"a,b",c`, `'=1+1,-5`, `"x""y`, `",`, `'@a,'-b`, ""},
		Read: []string{"1230", "1230", "1200", "700", "0", "1500", "refused", "1234", "refused", "refused", "refused",
			"refused", "refused", "9007199254740991", "refused", "10", "29", "115"},
		Plain: []string{"0.00", "0.05", "12.30", "1500", "0.001", "90071992547409.91"},
		Walls: []string{"2026-07-01T13:00:00.000Z 2026-07-01T18:30:00", "2026-03-29T01:00:05.000Z 2026-03-29T03:00:05",
			"2026-10-24T21:30:00.000Z 2026-10-24T23:30:00", "refused", "refused"},
		// In Cairo the clocks skip that day's midnight.
		Days: []string{"2026-03-28T23:00:00.000Z", "2026-10-24T22:00:00.000Z", "2026-06-30T18:30:00.000Z",
			"2026-04-23T22:00:00.000Z"},
	}
	if diff := cmp.Diff(want, evaluate[found](b, modules)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.weighHome()
}
