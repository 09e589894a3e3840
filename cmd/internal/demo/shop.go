package demo

import (
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

// shop is the plan of one demo store.
type shop struct {
	handle, name, currency, timezone string
	owner, email                     string
	seed                             uint64
	goods                            []good
	choices                          map[string][]document.Option // by the kind of a product
	schemes                          []scheme                     // the colors of its images
	language                         state.Language
	sheets                           []sheet
	lists                            []model.CollectionInput // below the products in the main menu
	words                            [3]string               // home, products and search, in the main menu
	people                           []people
	shipping                         []int64 // shipping costs in minor units
	taxPercent                       int64   // added to the price; 0 if prices include it
	carrier, tracking                string  // the carrier and its tracking page
	terms                            terms
	notes                            []string // order notes
}

// good is a product of the plan, priced in minor units of its shop's currency.
type good struct {
	title, kind, vendor string
	price               int64
}

// people is a language's names with an address.
type people struct {
	locale, country string
	first, last     []string
	// latinFirst and latinLast are the names in email addresses, in the same order.
	latinFirst, latinLast   []string
	streets, cities, postal []string
	// familyFirst says that the family name comes first.
	familyFirst bool
}

// shops returns the plans, in the order of demo.json.
func shops() []shop {
	return []shop{
		{
			handle: "kestrel-bikes", name: "Kestrel Bikes", currency: "EUR", timezone: "Europe/Berlin",
			owner: "Mirela Kovač", email: "mirela@kestrel-bikes.example", seed: 0x6b657374,
			goods: bikeGoods, choices: bikeChoices, schemes: bikeSchemes, people: europeans,
			language: state.English, sheets: bikeSheets, lists: bikeLists,
			words: [3]string{"Home", "Products", "Search"}, terms: bikeTerms(),
			shipping: []int64{0, 490, 490, 990, 2900}, carrier: "Postrad", tracking: "https://postrad.example/track/",
			notes: []string{
				"Customer asked for delivery after 18:00.", "Bitte vor dem Versand die Schaltung einstellen.",
				"Le client passera chercher le vélo samedi.", "Frame number checked against the invoice.",
				"Η παραγγελία είναι δώρο, χωρίς τιμολόγιο στο κουτί.", "Просили позвонить за час до доставки.",
				"Repeat buyer: add a bell from the sample box.", "Llamó para cambiar la dirección de envío.",
			},
		},
		{
			handle: "hoshi-stationery", name: "星野文具店 Hoshi Stationery", currency: "JPY", timezone: "Asia/Tokyo",
			owner: "星野 あかり", email: "akari@hoshi-stationery.example", seed: 0x686f7368,
			goods: paperGoods, choices: paperChoices, schemes: paperSchemes, people: asians, taxPercent: 10,
			language: state.Japanese, sheets: paperSheets, lists: paperLists,
			words: [3]string{"ホーム", "商品一覧", "検索"}, terms: paperTerms(),
			shipping: []int64{0, 220, 370, 370, 800}, carrier: "ツバメ便", tracking: "https://tsubame.example/track/",
			notes: []string{
				"ギフト包装をお願いします。", "名入れの文字は「翠」です。", "배송 전에 연락 부탁드립니다.",
				"请放在门口,谢谢。", "Gift: leave the price slip out.", "午前中の配達を希望。",
				"インクの色を電話で確認済み。", "सुबह के समय भेजें।",
			},
		},
	}
}
