package corpus

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// The words of titles. Each script has its share of the products. Titles also contain unique names,
// since a store has many words of its own.
var (
	qualities = []string{"Light", "Heavy", "Red", "Blue", "Folded", "Polished", "Narrow", "Wide", "Soft", "Spare"}
	things    = []string{"brake", "saddle", "lantern", "kettle", "notebook", "hammer", "blanket", "basket", "ladder",
		"mirror", "pencil", "wheel", "bottle", "curtain", "drawer", "candle"}
	french   = []string{"Théière émaillée", "Crème brûlée", "Château en bois", "Boîte à thé", "Écharpe tissée"}
	japanese = []string{"和紙ノート", "万年筆インク", "鉛筆セット", "茶碗", "風呂敷"}
	arabic   = []string{"فرشاة رسم", "دفتر ملاحظات", "إبريق شاي", "سجادة صوف", "مصباح نحاسي"}
)

const names = 20_000

// coined returns one of [names], composed of syllables.
func coined(n int) string {
	syllables := []string{"ba", "ke", "lo", "mi", "nu", "ra", "so", "ti", "va", "zen"}
	var text strings.Builder
	for i := names + n%names; i > 0; i /= len(syllables) {
		text.WriteString(syllables[i%len(syllables)])
	}
	return text.String()
}

// title returns the title of the i-th product; seven of ten are English.
func title(i int) string {
	n := i / 10
	name := coined(i * 7919)
	switch i % 10 {
	case 7:
		return french[n%len(french)] + " " + name
	case 8:
		return japanese[n%len(japanese)] + " " + name
	case 9:
		return arabic[n%len(arabic)] + " " + name
	}
	return qualities[n%len(qualities)] + " " + things[i%len(things)] + " " + name
}

// colours are the options of every fifth product.
var colours = []string{"Black", "Green", "Ivory"}

// goods creates n products with varied titles and random prices. One in fifty has the tag [Tag], and
// every fifth has an option.
func (f *filler) goods(ctx context.Context, store xid.ID, n int) error {
	options := document.NewOptions([]document.Option{{Name: "Colour", Values: colours}})
	for i := range n {
		t := f.now.Add(-span + time.Duration(i)*time.Millisecond)
		id, price, tags := xid.At(t), 100+f.rand.Int64N(100_000), `["goods"]`
		if i%50 == 0 {
			tags = `["goods","` + Tag + `"]`
		}
		most, sku, stock, chosen := any(nil), any(fmt.Sprintf("G-%06d", i)), any(inStock), []byte(nil)
		if i%5 == 0 { // the stock of its variants is not counted
			most, sku, stock, chosen = price+100, nil, nil, options
			if err := f.variants(ctx, store, id, price); err != nil {
				return err
			}
		}
		err := f.add(ctx, "goods", store[:], id[:], 2, 3, int64(t), title(i), fmt.Sprintf("goods-%06d", i), "active",
			price, most, "EUR", sku, "Maker "+coined(i%300), things[i%len(things)], []byte(tags), stock, int64(t),
			chosen)
		if err != nil {
			return err
		}
	}
	return nil
}

// inStock suffices for every order of a run.
const inStock = 100_000_000

// Tag is the tag of one in fifty products.
const Tag = "chosen"

// variants creates one variant for each color; the last one costs more.
func (f *filler) variants(ctx context.Context, store, product xid.ID, price int64) error {
	for i, c := range colours {
		id, texts := xid.New(), document.NewTags([]string{c})
		sum, cost := variants.Combination(texts), price
		if i == len(colours)-1 {
			cost += 100
		}
		if err := f.add(ctx, "variants", store[:], product[:], id[:], i+1, []byte(texts), sum[:], c, cost,
			nil); err != nil {
			return err
		}
	}
	return nil
}
