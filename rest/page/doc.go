// Package page is the frame of the pages on which people decide something: the sign-in, the choice of a
// store, the consent page, and plain messages. A page is rendered on the server, works without scripts
// and loads only a stylesheet and, if it offers passkeys, their script, from its own host.
//
// A package that shows pages embeds its templates and creates a [Set] of them:
//
//	//go:embed templates
//	var templates embed.FS
//
//	pages, err := page.New(templates, logger)
//	…
//	pages.Render(w, r, http.StatusOK, "sign-in", data)
//
// Each file *.html is one page, named after the file without its extension. It
// defines two templates, which both get the data of Render as their dot:
//
//	{{define "title"}}Sign in{{end}}
//	{{define "main"}}<h1>Sign in</h1> … {{end}}
//
// "main" is shown in a card in the middle of the page; its first element is the
// page's only h1. A page that offers passkeys also defines "script", and gets a
// policy that allows our own scripts. It has to work without them:
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
//	p.lead            the topic of the page, below the h1
//	p.soft, .soft     less important text
//	ul.list > li      lines with a rule between them; a line may hold strong and p
//	.mark             a small label in a line, such as NEW
//	.mark.warn        a warning label, such as personal data
//	dl.facts          names and values
//	.buttons          a row of buttons, one below the other on a phone
//	a.button          a link that looks like a secondary button
//	ul.choices        a list whose buttons fill the whole line
//
// Paths, links and texts go through html/template, which escapes them by context. The policy of the
// page refuses styles in a template.
package page
