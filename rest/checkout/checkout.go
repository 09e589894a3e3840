package checkout

import (
	"cmp"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
)

// Config is what the pages need.
type Config struct {
	Logger *slog.Logger
}

// Checkout is the pages of all stores.
type Checkout struct {
	Config
	pages   map[string]*template.Template
	origins *http.CrossOriginProtection
}

// New makes the pages.
func New(c Config) (*Checkout, error) {
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	pages, err := parse()
	if err != nil {
		return nil, fmt.Errorf("checkout: %w", err)
	}
	return &Checkout{Config: c, pages: pages, origins: http.NewCrossOriginProtection()}, nil
}
