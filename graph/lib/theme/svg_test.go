package theme

import (
	"fmt"
	"strings"
	"testing"
)

// drawn returns an SVG image with some content.
func drawn(inside string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">` + inside + `</svg>`
}

func TestCheckSVG(t *testing.T) {
	for _, tc := range []struct{ name, text string }{
		{"plain", goodSVG},
		{"with a byte order mark", "\ufeff" + goodSVG},
		{"comments and space around", "<!-- a --> \n" + drawn("") + "\n<!-- b -->"},
		{"entities of XML", drawn(`<text>&lt;&#x41;&amp;</text>`)},
		{"CDATA in a style", drawn(`<style><![CDATA[ .a > .b { fill: url('#a') } ]]></style>`)},
		{"use of its own parts",
			drawn(`<symbol id="a"><path d="M0 0"/></symbol><use xlink:href="#a"/><use href="#a"/>`)},
		{"filter", drawn(
			`<filter id="f"><feGaussianBlur in="SourceGraphic" stdDeviation="2"/></filter><rect filter="url(#f)"/>`)},
		{"animation", drawn(
			`<rect><animateTransform attributeName="transform" type="rotate" values="0 1 1;9 1 1" dur="1s"/><animate ` +
				`attributeName="opacity" to="0"/></rect>`)},
		{"labels that look like CSS", drawn(`<g aria-label="it's (a" data-name="b(c'" id="Layer_(1)"/>`)},
		{"namespaces that nothing uses",
			`<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/"/>`},
		{"text that speaks of things", drawn(`<text>on: script, url(x), import</text>`)},
		{"a clip that uses a part",
			drawn(`<defs><path id="a"/></defs><clipPath id="b"><use href="#a"/></clipPath><g clip-path="url(#b)"/>`)},
		{"an id twice", drawn(`<g id="a"/><g id="a"/><use href="#a"/>`)},
		{"a use of nothing", drawn(`<use href="#none"/>`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, _, detail := checkSVG([]byte(tc.text)); detail != "" {
				t.Error(detail)
			}
		})
	}
}

func TestCheckSVGHostile(t *testing.T) {
	const (
		element   = "The image has an element that is not allowed: "
		attribute = "The image has an attribute that is not allowed: "
		style     = "The style of the image is not allowed. Line 1: "
		outside   = "The image refers to something outside itself: "
		runs      = "The image has an address that runs code."
		broken    = "The image is not valid XML."
		root      = "The image is not an SVG image: its only root element must be svg."
		doctype   = "The image has a DOCTYPE or entities."
	)
	deep := strings.Repeat("<g>", maxNesting) + strings.Repeat("</g>", maxNesting)
	bomb := func(use string) string { // each part uses the previous one ten times
		var text strings.Builder
		text.WriteString(`<g id="a0"/>`)
		for i := range 7 {
			text.WriteString(fmt.Sprintf(`<g id="a%d">`, i+1) + strings.Repeat(fmt.Sprintf(use, i), 10) + `</g>`)
		}
		return drawn(text.String() + fmt.Sprintf(use, 7))
	}
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", "The image is truncated."},
		{"cut off", `<svg xmlns="http://www.w3.org/2000/svg"><g>`, "The image is truncated."},
		{"cut off in a tag", goodSVG[:100], broken},
		{"text", "hello", "The image has text outside its elements."},
		{"not UTF-8", drawn("\xff"), broken},
		{"another encoding", `<?xml version="1.0" encoding="UTF-16"?>` + drawn(""), broken},
		{"NUL", drawn("\x00"), broken},
		{"another root", `<html xmlns="http://www.w3.org/2000/svg"/>`, root},
		{"two roots", drawn("") + drawn(""), root},
		{"text behind it", drawn("") + "x", "The image has text outside its elements."},
		{"no namespace", `<svg/>`,
			`The image lacks xmlns="http://www.w3.org/2000/svg". Browsers need it to show the image.`},
		{"another namespace", `<svg xmlns="http://www.w3.org/1999/xhtml"/>`,
			"The image declares a namespace other than SVG or XLink."},
		{"another namespace inside", drawn(`<g xmlns="http://www.w3.org/1999/xhtml"/>`),
			"The image declares a namespace other than SVG or XLink."},
		{"another xlink", `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="x"/>`,
			"The image declares a namespace other than SVG or XLink."},
		{"tags that do not fit", drawn(`<g></path>`), broken},
		{"script", drawn(`<script>alert(1)</script>`), "The image has a script."},
		{"script in capitals", drawn(`<SCRIPT/>`), "The image has a script."},
		{"script with a prefix",
			`<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/2000/svg"><x:script/></svg>`,
			"The image has a script."},
		{"element with a prefix",
			`<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xhtml"><x:iframe/></svg>`,
			element + "x:iframe."},
		{"prefix of svg", `<s:svg xmlns:s="http://www.w3.org/2000/svg"/>`, root},
		{"foreignObject", drawn(`<foreignObject/>`), "The image has a foreignObject."},
		{"page", drawn(`<iframe/>`), element + "iframe."},
		{"link", drawn(`<a href="#x"/>`), element + "a."},
		{"image", drawn(`<image href="#x"/>`), element + "image."},
		{"feImage", drawn(`<filter><feImage href="#x"/></filter>`), element + "feImage."},
		{"set", drawn(`<set attributeName="x" to="1"/>`), element + "set."},
		{"handler", drawn(`<g onclick="alert(1)"/>`), "The image has an event handler: onclick."},
		{"handler at the root", `<svg xmlns="http://www.w3.org/2000/svg" onload="x"/>`,
			"The image has an event handler: onload."},
		{"handler in capitals", drawn(`<g OnClick="x"/>`), "The image has an event handler: OnClick."},
		{"handler with a prefix", drawn(`<g xlink:onclick="x"/>`), "The image has an event handler: xlink:onclick."},
		{"unknown attribute", drawn(`<g formaction="x"/>`), attribute + "formaction."},
		{"base", drawn(`<g xml:base="https://evil.example/"/>`), attribute + "xml:base."},
		{"attribute twice", drawn(`<g id="a" id="b"/>`), "The image has a duplicate attribute."},
		{"reference outside", drawn(`<use href="https://evil.example/x.svg#a"/>`),
			outside + "https://evil.example/x.svg#a."},
		{"reference by xlink", drawn(`<use xlink:href="//evil.example/x"/>`), outside + "//evil.example/x."},
		{"reference to a file", drawn(`<use href="other.svg#a"/>`), outside + "other.svg#a."},
		{"reference to data", drawn(`<use href="data:image/svg+xml;base64,AA=="/>`),
			outside + "data:image/svg+xml;base64,AA==."},
		{"javascript", drawn(`<use href="javascript:alert(1)"/>`), runs},
		{"javascript with gaps", drawn("<use href=\" java&#9;script:x\"/>"), runs},
		{"javascript by entity", drawn(`<use href="&#106;avascript:x"/>`), runs},
		{"javascript in another attribute", drawn(`<g aria-label="JavaScript:x"/>`), runs},
		{"javascript in a text", drawn(`<text>javascript:x</text>`), runs},
		{"javascript by animation", drawn(`<use><animate attributeName="x" to="javascript:x"/></use>`), runs},
		{"animation of an address", drawn(`<use><animate attributeName="href" to="#x"/></use>`),
			"The image animates an attribute that is not allowed: href."},
		{"animation of an address by xlink", drawn(`<use><animate attributeName="xlink:href" to="#x"/></use>`),
			"The image animates an attribute that is not allowed: xlink:href."},
		{"animation of a handler", drawn(`<use><animate attributeName="onclick" to="x"/></use>`),
			"The image animates an attribute that is not allowed: onclick."},
		{"animation of the style", drawn(`<use><animate attributeName="style" to="x"/></use>`),
			"The image animates an attribute that is not allowed: style."},
		{"DOCTYPE", `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" ` +
			`"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">` + drawn(""), doctype},
		{"entities", `<!DOCTYPE svg [<!ENTITY a "aaaaaaaa">]>` + drawn(`<text>&a;</text>`), doctype},
		{"an entity without DOCTYPE", drawn(`<text>&nbsp;</text>`), broken},
		{"stylesheet by instruction", `<?xml-stylesheet href="https://evil.example/x.css"?>` + drawn(""),
			"The image has a processing instruction."},
		{"instruction inside", drawn(`<?php evil ?>`), "The image has a processing instruction."},
		{"declaration that is not first", " <?xml version=\"1.0\"?>" + drawn(""),
			"The image has a processing instruction."},
		{"style that imports", drawn(`<style>@import "x.css";</style>`),
			style + "@import is not allowed. Link all stylesheets in the theme's layout."},
		{"style that imports by escape", drawn(`<style>@\69mport "x.css";</style>`),
			style + "@import is not allowed. Link all stylesheets in the theme's layout."},
		{"style that imports in parts", drawn(`<style>@im<!-- -->port "x.css";</style>`),
			style + "@import is not allowed. Link all stylesheets in the theme's layout."},
		{"style that loads", drawn(`<style>a{fill:url(https://evil.example/x)}</style>`),
			style + "url(https://evil.example/x) points outside the image."},
		{"style of an element that loads", drawn(`<g style="fill:url(x.svg#a)"/>`),
			style + "url(x.svg#a) points outside the image."},
		{"style with data", drawn(`<g style="fill:url(data:image/png;base64,AAAA)"/>`),
			style + "url(data:image/png;base64,AAAA) points outside the image."},
		{"attribute that loads", drawn(`<g fill="url(https://evil.example/x)"/>`),
			style + "url(https://evil.example/x) points outside the image."},
		{"attribute that loads by escape", drawn(`<g fill="u\72l(x)"/>`),
			style + "Write url( without backslashes."},
		{"attribute that loads by a set", drawn(`<g mask='image-set("https://evil.example/x" 1x)'/>`),
			style + "Addresses in image-set() must be inside url()."},
		{"expression", drawn(`<g style="width:expression(alert(1))"/>`),
			style + "expression() runs code and is not allowed."},
		{"element in a style", drawn(`<style><g/></style>`), "The image has elements inside its style element."},
		{"deep", drawn(deep), "The image nests more than 100 elements."},
		{"parts that multiply", bomb(`<use href="#a%d"/>`), tooMuch},
		{"patterns that multiply", bomb(`<g style="fill:url('#a%d')"/>`), tooMuch},
		{"a part that uses itself", drawn(`<g id="a"><use href="#a"/></g>`), tooMuch},
		{"parts that use each other", drawn(`<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>`), tooMuch},
		{"many elements", drawn(strings.Repeat("<g/>", maxExpanded+1)), tooMuch},
		{"many references", drawn(strings.Repeat(`<use href="#none"/>`, maxUses+1)), tooMuch},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, _, got := checkSVG([]byte(tc.text)); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
