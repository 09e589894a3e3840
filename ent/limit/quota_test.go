package limit_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/limit"
)

func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range limit.Rows() {
		if r.Default < r.Least || r.Default > r.Greatest || r.Counts == "" || seen[r.Member()] {
			t.Errorf("%+v", r)
		}
		seen[r.Member()] = true
		if row, ok := r.Name.Row(); !ok || row != r || limit.Values(nil).Of(r.Name) != r.Default {
			t.Errorf("%s is found as %+v", r.Name, row)
		}
		if text := r.Reached(7); !strings.Contains(text, string(r.Name)) || !strings.Contains(text, "7 "+r.Counts) {
			t.Errorf("%s: %s", r.Name, text)
		}
	}
}

// Published limits only grow: these are the defaults of the first version.
func TestPublishedDefaults(t *testing.T) {
	for name, want := range map[limit.Name]int64{limit.People: 500, limit.Invitations: 100, limit.APIKeys: 100,
		limit.Apps: 100, limit.Endpoints: 100, limit.Themes: 100, limit.ThemeBytes: 1 << 30,
		limit.PictureBytes: 1 << 30, limit.Exports: 50, limit.ExportsPerDay: 500, limit.ExportsRunning: 5,
		limit.MailsPerDay: 200, limit.OrderMailsPerDay: 5000, limit.NewStoreMailsPerDay: 50,
		limit.NewStoreDays: 30, limit.PingsPerMinute: 10, limit.ReportOrders: 1_000_000, limit.Stores: 50,
		limit.Factors: 10, limit.RatePerSecond: 100, limit.RateBurst: 200, limit.StoreRatePerSecond: 1000,
		limit.VisitorRatePerSecond: 20} {
		if r, _ := name.Row(); r.Default < want {
			t.Errorf("%s is %d, was %d", name, r.Default, want)
		}
	}
}

func TestSet(t *testing.T) {
	for _, tc := range []struct{ text, wrong string }{
		{"people=501", ""}, {"people=1", ""}, {"theme_bytes=1099511627776", ""},
		{"people", "name=number"}, {"", "name=number"}, {"persons=5", "webhook_endpoints"}, {"=5", "there is no limit"},
		{"people=0", "1 to 10000"}, {"people=10001", "1 to 10000"}, {"people=-1", "1 to 10000"}, {"people=", "1 to"},
		{"people=many", "1 to"}, {"people=1e3", "1 to"}, {"people=99999999999999999999", "1 to"},
		{"rate_per_second=5", "--rate-limit"},
	} {
		v := limit.Values{}
		err := v.Set(tc.text)
		if tc.wrong == "" && (err != nil || len(v) != 1) ||
			tc.wrong != "" && (err == nil || !strings.Contains(err.Error(), tc.wrong) || len(v) != 0) {
			t.Errorf("%q: %v, %v; want %q", tc.text, v, err, tc.wrong)
		}
	}
}
