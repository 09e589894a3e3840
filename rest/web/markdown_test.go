package web

import "testing"

func TestMarkdown(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"paragraph over lines", "a\nb\n\nc", "<p>a\nb</p>\n<p>c</p>\n"},
		{"heading", "## Pages & cursors\ntext", "<h2 id=\"pages-cursors\">Pages &amp; cursors</h2>\n<p>text</p>\n"},
		{"list", "of:\n- a\n  more\n- b", "<p>of:</p>\n<ul>\n<li>a\nmore</li>\n<li>b</li>\n</ul>\n"},
		{"fence", "```\n<a>\n\n- b\n```\nc", "<pre tabindex=\"0\"><code>&lt;a&gt;\n\n- b\n</code></pre>\n<p>c</p>\n"},
		{"open fence", "```\na", "<pre tabindex=\"0\"><code>a\n</code></pre>\n"},
		{"inline", "**a** *b* `*c*` d*e", "<p><strong>a</strong> <em>b</em> <code>*c*</code> d*e</p>\n"},
		{"link", "[a](/docs/problems) [b](#c) [d](https://e.example/f)",
			"<p><a href=\"/docs/problems\">a</a> <a href=\"#c\">b</a> <a href=\"https://e.example/f\">d</a></p>\n"},
		{"no script", "<script> [a](javascript:alert(1)) [b](//evil.example) ![c](/d) [e](/\\evil.example) " +
			"<https://evil.example> [**f**](data:text/html,x)",
			"<p>&lt;script&gt; a b c e &lt;https://evil.example&gt; <strong>f</strong></p>\n"},
		{"no HTML of its own", "<div onclick=\"x\">\na\n</div>\n\n<!-- b -->",
			"<p>&lt;div onclick=&quot;x&quot;&gt;\na\n&lt;/div&gt;</p>\n<p>&lt;!-- b --&gt;</p>\n"},
		{"no way out of an attribute", `[a](/b"onclick=c)`, "<p><a href=\"/b%22onclick=c\">a</a></p>\n"},
		{"table", "| a | b |\n|---|---:|\n| `c` | <d> |",
			`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>` + "\n<thead>\n<tr>\n<th>a</th>\n" +
				`<th align="right">b</th>` + "\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><code>c</code></td>\n" +
				`<td align="right">&lt;d&gt;</td>` + "\n</tr>\n</tbody>\n</table></div>\n"},
		{"empty", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, _ := markdown(tc.in); string(got) != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// A text inside a paragraph makes no blocks, whatever it begins with.
func TestInline(t *testing.T) {
	for in, want := range map[string]string{
		"a `b` **c**": "a <code>b</code> <strong>c</strong>", "- a": "- a", "## a": "## a",
		"a\n\nb": "a b", "": "", "<b>": "&lt;b&gt;", "one of `a_b`, a_b_c": "one of <code>a_b</code>, a_b_c",
		"[a](#b)": `<a href="#b">a</a>`,
	} {
		if got := string(inline(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
