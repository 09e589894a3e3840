package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/storefront-go/storefront/cmd/internal/app"
)

var update = flag.Bool("update", false, "rewrite the guide of the settings")

// settingsGuide is generated from the flags of serve.
const settingsGuide = "../../rest/web/guides/settings.md"

// TestSettingsGuide checks that the guide lists every flag of serve; -update rewrites it.
func TestSettingsGuide(t *testing.T) {
	want := settingsPage(t)
	if *update {
		if err := os.WriteFile(settingsGuide, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(settingsGuide); err != nil || !bytes.Equal(got, want) {
		t.Errorf("out of date (%v): run go test ./cmd/storefront -run TestSettingsGuide -update", err)
	}
}

// settingsParts are the headings of the guide, by the first flag of each.
var settingsParts = map[string]string{
	"data": "Data", "addr": "Addresses", "smtp-url": "Email", "log-format": "Logs",
	"marketplace-reviewers": "Marketplace and limits", "acme": "Own domains", "allow-loopback-webhooks": "Webhooks",
	"migrate": "Start and security",
}

func settingsPage(t *testing.T) []byte {
	t.Helper()
	parser, err := kong.New(&app.Config{}, kong.NoDefaultHelp())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString(`# Settings

All settings of the server, with their variables and defaults.

## How settings are read

A flag wins over its variable, which wins over the default. An empty variable counts as not set. A flag that can be
repeated takes a comma-separated list in its variable. Other commands use some of the same settings: add ` + "`--help`" + ` to a
command to see which.

The root secret has no flag, because other users of the machine can read the arguments of a process. It comes from the
variable ` + "`STOREFRONT_SECRET_KEY`" + `, from the file that ` + "`STOREFRONT_SECRET_KEY_FILE`" + ` names, or from the file ` + "`secret.key`" + ` in
the data folder.

This page is generated from the flags of the program.
`)
	parts := 0
	for _, f := range parser.Model.Flags {
		if part := settingsParts[f.Name]; part != "" {
			parts++
			fmt.Fprintf(&b, "\n## %s\n\n| setting | default | meaning |\n|---|---|---|\n", part)
		}
		name := f.Name
		if f.Tag.Negatable != "" {
			name = "[no-]" + name
		}
		fmt.Fprintf(&b, "| `--%s` `%s` | %s | %s |\n", name, strings.Join(f.Envs, "` `"), settingDefault(f),
			settingHelp(f))
	}
	if parts != len(settingsParts) {
		t.Errorf("%d parts have a first flag, want %d", parts, len(settingsParts))
	}
	return b.Bytes()
}

// aDefault matches the end of a flag's help.
var aDefault = regexp.MustCompile(` \(default:? ([^)]+)\)\.$`)

func settingDefault(f *kong.Flag) string {
	switch m := aDefault.FindStringSubmatch(f.Help); {
	case f.HasDefault && !f.IsBool():
		return "`" + f.Default + "`"
	case m != nil:
		return m[1]
	case f.IsBool():
		return "off"
	}
	return "none"
}

func settingHelp(f *kong.Flag) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`).Replace(aDefault.ReplaceAllString(f.Help, "."))
}
