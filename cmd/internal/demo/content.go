package demo

import (
	"context"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

// sheet is a page of the plan, in Markdown.
type sheet struct {
	handle, title, body string
	kind                state.PageKind // "" for an ordinary page
}

var bikeSheets = []sheet{
	{handle: "about", title: "About us", body: "We have mended and sold bicycles in Berlin since 1998.\n\n" +
		"## What we like\n\n- bikes that last\n- parts that can be had in ten years\n- customers who ring the bell\n"},
	{handle: "shipping", title: "Shipping", kind: state.PageShipping, body: "Parts leave our workshop **within two working " +
		"days**. Bikes come by carrier, almost ready to ride.\n\nYou may send back what you do not like within 30 days.\n"},
	{handle: "contact", title: "Contact", kind: state.PageContact,
		body: "Write to [hello@kestrel-bikes.example](mailto:hello@kestrel-bikes.example), or come to the workshop.\n"},
	{handle: "imprint", title: "Imprint", kind: state.PageImprint,
		body: "Kestrel Bikes\n\nMirela Kovač\n\nThis is a demo: there is no such shop.\n"},
	{handle: "privacy", title: "Privacy", kind: state.PagePrivacy,
		body: "We keep what your order needs, and for as long as the law asks. No page of this shop runs a script.\n"},
}

var paperSheets = []sheet{
	{handle: "about", title: "星野文具店について", body: "東京の小さな文具店です。\n\n## 大切にしていること\n\n- 長く使える道具\n- 日本の紙\n- 手で書く時間\n"},
	{handle: "shipping", title: "配送について", kind: state.PageShipping,
		body: "ご注文から**二営業日以内**に発送します。返品は30日以内に承ります。\n"},
	{handle: "contact", title: "お問い合わせ", kind: state.PageContact,
		body: "[hello@hoshi-stationery.example](mailto:hello@hoshi-stationery.example) までご連絡ください。\n"},
	{handle: "imprint", title: "特定商取引法に基づく表記", kind: state.PageImprint,
		body: "星野文具店\n\n星野 あかり\n\nこれはデモです。実在の店舗ではありません。\n"},
	{handle: "privacy", title: "プライバシーポリシー", kind: state.PagePrivacy,
		body: "ご注文に必要な情報だけをお預かりします。このサイトはスクリプトを実行しません。\n"},
}

// picked returns a collection of the products that meet all conditions.
func picked(handle, title, text string, conditions ...*document.CollectionCondition) model.CollectionInput {
	return model.CollectionInput{Title: title, Handle: &handle, Description: &text, Sort: state.SortNewest,
		Rule: &model.CollectionRuleInput{Conditions: conditions}}
}

// has matches products that contain a text.
func has(f state.CollectionField, text string) *document.CollectionCondition {
	return &document.CollectionCondition{Field: f, Text: &text}
}

// upTo matches products with at most this price.
func upTo(price int64) *document.CollectionCondition {
	return &document.CollectionCondition{Field: state.FieldPrice, MostMinor: &price}
}

var (
	bikeLists = []model.CollectionInput{
		picked("bikes", "Bikes", "Built in our workshop, almost ready to ride.", has(state.FieldProductType, "Bikes")),
		picked("safe", "Safe on the road", "Helmets for heads of every size.", has(state.FieldProductType, "Helmets")),
		picked("small-gifts", "Small gifts", "For less than 20 euros.", upTo(1999)),
		picked("sale", "Sale", "Cheaper than it was.", has(state.FieldTag, "sale")),
	}
	paperLists = []model.CollectionInput{
		picked("pens", "筆記具", "書くことが楽しくなる道具。", has(state.FieldProductType, "筆記具")),
		picked("small-gifts", "ちいさな贈り物", "千円までの品々。", upTo(1000)),
		picked("sale", "セール", "お求めやすくなりました。", has(state.FieldTag, "sale")),
	}
)

// collections creates the collections of the plan and returns links to them.
func (s *seeder) collections(ctx context.Context) (links []*document.MenuLink, err error) {
	for _, in := range s.lists {
		made, err := s.CollectionCreate(ctx, in)
		if err != nil {
			return nil, err
		}
		id := made.Collection.PublicID()
		links = append(links, &document.MenuLink{Title: in.Title, Target: state.TargetCollection, ResourceID: &id})
	}
	return links, nil
}

// content creates the language, the pages, the collections and the menus, unless they exist. The
// footer is the default one.
func (s *seeder) content(ctx context.Context) error {
	n, err := s.Core.Store.DB(ctx).Page.Query().Count(ctx)
	if err != nil || n > 0 {
		return err
	}
	return s.Core.Store.InTx(ctx, func(ctx context.Context) error {
		now, err := s.Core.Query().Store(ctx)
		if err != nil {
			return err
		}
		if _, err := s.StoreUpdate(ctx, model.StoreUpdateInput{ExpectedVersion: now.Version,
			Language: &s.language}); err != nil {
			return err
		}
		lists, err := s.collections(ctx)
		if err != nil {
			return err
		}
		for _, p := range s.sheets {
			if err := s.sheet(ctx, p, lists); err != nil {
				return err
			}
		}
		return nil
	})
}

// sheet creates a page; the first page of a plan is in the main menu.
func (s *seeder) sheet(ctx context.Context, p sheet, lists []*document.MenuLink) error {
	in := model.PageCreateInput{Title: p.title, Handle: &p.handle, Body: p.body}
	if p.kind != "" {
		in.Kind = &p.kind
	}
	made, err := s.PageCreate(ctx, in)
	if err != nil {
		return err
	}
	id := made.Page.PublicID()
	if _, err := s.PagePublish(ctx, id, made.Page.Version); err != nil || p.handle != "about" {
		return err
	}
	_, err = s.MenusSet(ctx, 0, document.MenusFields{Main: []*document.MenuLink{
		{Title: s.words[0], Target: state.TargetHome},
		{Title: s.words[1], Target: state.TargetProducts, Children: lists},
		{Title: p.title, Target: state.TargetPage, ResourceID: &id},
		{Title: s.words[2], Target: state.TargetSearch},
	}})
	return err
}
