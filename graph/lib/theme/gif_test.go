package theme

import (
	"strings"
	"testing"
)

// What the decoder would parse differently is refused, because frames could escape the count there.
func TestSkipExtension(t *testing.T) {
	block := func(label string, size int, rest string) string {
		return label + string(rune(size)) + strings.Repeat("x", size) + rest
	}
	for _, tc := range []struct {
		name, text string
		want       bool
	}{
		{"control", "\xf9\x04xxxx\x00", true},
		{"comment", block("\xfe", 3, "\x01y\x00"), true},
		{"empty comment", "\xfe\x00", true},
		{"text", block("\x01", 12, "\x02ab\x00"), true},
		{"application", block("\xff", 11, "\x00"), true},
		{"application of ten letters", block("\xff", 10, "\x00"), true},
		{"text of another size", block("\x01", 13, "\x00"), false},
		{"application without a name", "\xff\x00", false},
		{"control of another size", "\xf9\x05xxxxx\x00", false},
		{"control with a second block", "\xf9\x04xxxx\x01x\x00", false},
		{"unknown", "\x02\x00", false},
		{"cut off", "\xfe\x03ab", false},
		{"label alone", "\xfe", false},
		{"no end", block("\xfe", 3, ""), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rest, ok := skipExtension([]byte(tc.text + "!"))
			if !tc.want {
				rest, ok = skipExtension([]byte(tc.text))
			}
			if ok != tc.want || ok && string(rest) != "!" {
				t.Errorf("got %q, %v", rest, ok)
			}
		})
	}
}
