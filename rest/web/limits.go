package web

import "github.com/storefront-go/storefront/ent/limit"

type limitHere struct {
	limit.Row
	Here int64
}

// limits mounts /docs/limits with the limits of a store without its own, and the fixed ones.
func (d *site) limits() {
	p := struct {
		Title  string
		Limits []limitHere
		Fixed  []limit.Fixed
	}{Title: d.title, Fixed: limit.All()}
	for _, row := range limit.Rows() {
		p.Limits = append(p.Limits, limitHere{row, d.Limits.Of(row.Name)})
	}
	d.page("/docs/limits", "limits.html", p)
}
