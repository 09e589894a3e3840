package core_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/merchant"
)

func TestSlug(t *testing.T) {
	for _, tc := range []struct{ title, want string }{
		{"Mug", "mug"}, {"Blue Mug, 300 ml", "blue-mug-300-ml"}, {"  Mug -- big  ", "mug-big"},
		{"Crème Brûlée", "creme-brulee"}, {"ﬁne ½ price", "fine-1-2-price"}, {"ÅNGSTRÖM", "angstrom"},
		{"a_b.c/d", "a-b-c-d"}, {"Große Straße", "grosse-strasse"}, {"Smørrebrød Łódź", "smorrebrod-lodz"},
		{"-", "product"}, {"กาแฟ", "product"}, {"", "product"}, {"กาแฟ 5", "product-5"}, {"珈琲 tea", "product-tea"},
		{"كتاب ٣", "ktab-3"}, {"قهوة عربية", "qhwa-arbya"}, {"ספר", "spr"},
		{"コーヒーカップ", "kohikappu"}, {"ｶﾞﾗｽ", "garasu"}, {"カ\u3099ラス", "garasu"}, {"まっちゃ ラテ", "matcha-rate"},
		{"ティッシュ・ヴィンテージ", "tisshu-vinteji"}, {"夏の２", "product-no2"}, {"コーヒー豆 200g", "kohi-200g"},
		{"東京のお茶 100g", "product-noo-100g"}, {"あっ", "a"},
		{"커피 원두", "keopi-wondu"}, {"감귤 청", "gamgyul-cheong"},
		{"咖啡豆 250g", "ka-fei-dou-250g"}, {"臺灣烏龍", "tai-wan-wu-long"},
		{"Чай", "chay"}, {"Чайник ABC", "chaynik-abc"}, {"Подъём №2", "podyom-no2"}, {"ЩУКА", "shchuka"},
		{"Καφές Ελληνικός", "kafes-ellinikos"}, {"咖啡", "ka-fei"},
		{"a\xffb", "a-b"}, {strings.Repeat("ab", 100), strings.Repeat("ab", 60)},
		{strings.Repeat("a", 119) + " b", strings.Repeat("a", 119)},
	} {
		if got := core.Slug(tc.title, "product"); got != tc.want {
			t.Errorf("slug(%q) = %q, want %q", tc.title, got, tc.want)
		}
	}
}

func TestSuffixed(t *testing.T) {
	for _, tc := range []struct{ handle, want string }{
		{"mug", "mug-abcdef"}, {strings.Repeat("a", 120), strings.Repeat("a", 113) + "-abcdef"},
		{strings.Repeat("a", 112) + "-bcdefg", strings.Repeat("a", 112) + "-abcdef"},
	} {
		if got := core.Suffixed(tc.handle, "prod_0123abcdef", core.MaxHandle); got != tc.want {
			t.Errorf("suffixed(%q) = %q, want %q", tc.handle, got, tc.want)
		}
	}
}

// FirstFree tries a taken handle with the end of the id, and with a longer end if that is taken as
// well. Errors other than duplicates are returned at once.
func TestFirstFree(t *testing.T) {
	const id = "prod_0123456789ghjkmnpqrs"
	store := storetest.Open(t)
	ctx, _ := storetest.Merchant(t, store)
	take := func(handle string) (string, error) {
		return handle, store.InTx(ctx, func(ctx context.Context) error {
			return store.DB(ctx).StoreHandle.Create().SetID(handle).SetStoreID(xid.New()).Exec(ctx)
		})
	}
	for _, want := range []string{"mug", "mug-mnpqrs", "mug-" + id[len(id)-16:]} {
		if got, err := core.FirstFree("mug", id, 20, take); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if _, err := core.FirstFree("mug", id, 20, take); !ent.IsDuplicate(err) {
		t.Errorf("all are taken: %v", err)
	}
	tries := 0
	_, err := core.FirstFree("mug", id, 20, func(string) (int, error) { tries++; return 0, context.Canceled })
	if !errors.Is(err, context.Canceled) || tries != 1 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

// Every slug is a valid handle.
func FuzzSlug(f *testing.F) {
	handle := regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,118}[a-z0-9])?$`)
	for _, s := range []string{"Mug", "Crème", "-", "日本", "a\xff", strings.Repeat("a b", 60), "ǅ", "İ", "っ", "각", "龍"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, title string) {
		if s := core.Slug(title, "product"); !handle.MatchString(s) {
			t.Fatalf("slug(%q) = %q", title, s)
		}
		if s := merchant.StoreSlug(title); !handle.MatchString(s) || len(s) > merchant.MaxStoreHandle {
			t.Fatalf("storeSlug(%q) = %q", title, s)
		}
	})
}
