// Package page is the frame of the pages on which people decide something: the
// sign-in, the choice of a store, the consent screen, and plain messages. A page
// is made on the server, works without script and loads nothing but the one
// stylesheet, and the script of passkeys where one can be used, from its own host.
//
// A package that shows pages embeds its templates and makes a [Set] of them:
//
//	//go:embed templates
//	var templates embed.FS
//
//	pages, err := page.New(templates, logger)
//	…
//	pages.Render(w, r, http.StatusOK, "sign-in", data)
//
// Each file *.html is one page, named as the file is without its ending. It
// defines two templates, both of which get the data of Render as their dot:
//
//	{{define "title"}}Sign in{{end}}
//	{{define "main"}}<h1>Sign in</h1> … {{end}}
//
// "main" stands in a card in the middle of the page; its first element is the
// page's only h1. A page on which a passkey can be used defines "script" too, works
// without it all the same, and gets a policy that allows our own script:
//
//	{{define "script"}}{{template "passkey-script"}}{{end}}
//
// A page may use these parts:
//
//	{{template "alert" .Problem}}    a string, read out at once (role=alert); nothing for ""
//	{{template "field" .Email}}      a [Field]: label, input, hint and error
//	{{template "button" .Allow}}     a [Button] that sends its form
//	{{template "passkey" .}}         the form that a passkey answers: .Passkey, .Options, .ReturnTo
//
// and these classes:
//
//	p.lead            what the page is about, below the h1
//	p.soft, .soft     what matters less
//	ul.list > li      lines with a rule between them; in one: strong, p
//	.mark             a small mark in a line, such as NEW
//	.mark.warn        one that warns, such as personal data
//	dl.facts          names and values
//	.buttons          a row of buttons, one below the other on a phone
//	a.button          a link that looks like a secondary button
//	ul.choices        a list whose buttons fill the whole line
//
// Paths, links and texts go through html/template, so all of it is escaped where
// it stands. Styles in a template are refused by the policy of the page.
package page
