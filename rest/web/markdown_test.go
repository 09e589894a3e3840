package web

import "testing"

func TestMarkdown(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"paragraph over lines", "a\nb\n\nc", "<p>a b</p>\n<p>c</p>\n"},
		{"heading", "## Pages & cursors\ntext", "<h2 id=\"pages-cursors\">Pages &amp; cursors</h2>\n<p>text</p>\n"},
		{"list", "of:\n- a\n  more\n- b", "<p>of:</p>\n<ul>\n<li>a more</li>\n<li>b</li>\n</ul>\n"},
		{"fence", "```\n<a>\n\n- b\n```\nc", "<pre tabindex=\"0\"><code>&lt;a&gt;\n\n- b</code></pre>\n<p>c</p>\n"},
		{"open fence", "```\na", "<pre tabindex=\"0\"><code>a</code></pre>\n"},
		{"inline", "**a** *b* `*c*` d*e", "<p><strong>a</strong> <em>b</em> <code>*c*</code> d*e</p>\n"},
		{"link", "[a](/docs/problems) [b](#c) [d](https://e.example/f)",
			"<p><a href=\"/docs/problems\">a</a> <a href=\"#c\">b</a> <a href=\"https://e.example/f\">d</a></p>\n"},
		{"no script", "<script> [a](javascript:alert(1)) [b](//evil.example)",
			"<p>&lt;script&gt; [a](javascript:alert(1)) [b](//evil.example)</p>\n"},
		{"no way out of an attribute", `[a](/b"onclick=c)`, "<p><a href=\"/b&#34;onclick=c\">a</a></p>\n"},
		{"empty", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, _ := markdown(tc.in); string(got) != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}
