package demo

import (
	"context"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

func (s *seeder) collections(ctx context.Context) (links []*document.MenuLink, err error) {
	for _, in := range s.Lists {
		made, err := s.CollectionCreate(ctx, in)
		if err != nil {
			return nil, err
		}
		id := made.Collection.PublicID()
		links = append(links, &document.MenuLink{Title: in.Title, Target: state.TargetCollection, ResourceID: &id})
	}
	return links, nil
}

// content creates the language, the pages, the collections and the menus, unless they exist.
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
			Language: &s.Language}); err != nil {
			return err
		}
		lists, err := s.collections(ctx)
		if err != nil {
			return err
		}
		for _, p := range s.Sheets {
			if err := s.sheet(ctx, p, lists); err != nil {
				return err
			}
		}
		return nil
	})
}

// sheet creates a page; the first page of a plan is in the main menu.
func (s *seeder) sheet(ctx context.Context, p sheet, lists []*document.MenuLink) error {
	in := model.PageCreateInput{Title: p.Title, Handle: &p.Handle, Body: p.Body}
	if p.Kind != "" {
		in.Kind = &p.Kind
	}
	made, err := s.PageCreate(ctx, in)
	if err != nil {
		return err
	}
	id := made.Page.PublicID()
	if _, err := s.PagePublish(ctx, id, made.Page.Version); err != nil || p.Handle != "about" {
		return err
	}
	_, err = s.MenusSet(ctx, 0, document.MenusFields{Main: []*document.MenuLink{
		{Title: s.Words[0], Target: state.TargetHome},
		{Title: s.Words[1], Target: state.TargetProducts, Children: lists},
		{Title: p.Title, Target: state.TargetPage, ResourceID: &id},
		{Title: s.Words[2], Target: state.TargetSearch},
	}})
	return err
}
