package currency_test

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/currency"
)

// lists returns the copy of the published list, and the list itself if it is next to the project.
func lists() []string {
	files := []string{"testdata/iso4217.csv"}
	const beside = "../../../shared/vectors/iso4217.csv"
	if _, err := os.Stat(beside); err == nil {
		files = append(files, beside)
	}
	return files
}

func readList(t *testing.T, file string) map[currency.Code]int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], []string{"code", "minor_digits"}) {
		t.Fatalf("%s: unexpected head", file)
	}
	list := map[currency.Code]int{}
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		list[currency.Code(row[0])] = n
	}
	return list
}

func TestTableEqualsThePublishedList(t *testing.T) {
	got := map[currency.Code]int{}
	for _, code := range currency.All() {
		n, ok := currency.Digits(code)
		if !ok {
			t.Errorf("Digits(%s): unknown", code)
		}
		got[code] = n
	}
	for _, file := range lists() {
		t.Run(file, func(t *testing.T) {
			if d := cmp.Diff(readList(t, file), got); d != "" {
				t.Errorf("table (-list +got):\n%s", d)
			}
		})
	}
}

func TestAllIsSortedAndACopy(t *testing.T) {
	all := currency.All()
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Error("All is not sorted and distinct")
	}
	all[0] = "ZZZ"
	if _, ok := currency.Parse("aed"); !ok || currency.All()[0] != "AED" {
		t.Error("a caller changed the table")
	}
}

func TestParse(t *testing.T) {
	for _, code := range currency.All() {
		for _, s := range []string{string(code), strings.ToLower(string(code))} {
			if got, ok := currency.Parse(s); !ok || got != code {
				t.Errorf("Parse(%q) = %q, %v, want %q", s, got, ok, code)
			}
		}
	}
	for _, s := range []string{
		"", "E", "EU", "EURO", " EUR", "EUR ", "EU ", "E\x00R", "978", "zzz", "AAA",
		"XXX", "XTS", "XAU", "XDR", "BOV", "CHE", "CLF", "UYI", "XAD", // not money in circulation
		"HRK", "SLL", "ZWL", "CUC", "BGN", // withdrawn
		"U\u017f", "\u017fk", // letters that upper-casing would turn into S
	} {
		if got, ok := currency.Parse(s); ok || got != "" {
			t.Errorf("Parse(%q) = %q, %v, want refused", s, got, ok)
		}
	}
}

func TestDigits(t *testing.T) {
	for _, tc := range []struct {
		code currency.Code
		want int
		ok   bool
	}{
		{"EUR", 2, true}, {"JPY", 0, true}, {"KWD", 3, true}, {"ISK", 0, true}, {"IQD", 3, true},
		{"eur", 0, false}, {"", 0, false}, {"EU", 0, false}, {"EURO", 0, false}, {"XXX", 0, false},
	} {
		if got, ok := currency.Digits(tc.code); got != tc.want || ok != tc.ok {
			t.Errorf("Digits(%q) = %d, %v, want %d, %v", tc.code, got, ok, tc.want, tc.ok)
		}
	}
}

func TestLookUpsAllocateNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		code, _ := currency.Parse("eur")
		currency.Digits(code)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"EUR", "eur", "Eur", "", "€", "JPYx"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		code, ok := currency.Parse(s)
		if ok != (code != "") || ok && !strings.EqualFold(string(code), s) {
			t.Fatalf("Parse(%q) = %q, %v", s, code, ok)
		}
		if _, known := currency.Digits(code); known != ok {
			t.Fatalf("Digits(%q) = %v", code, known)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		currency.Parse("usd")
	}
}
