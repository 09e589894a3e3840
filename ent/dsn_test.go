package ent

import (
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

func TestParseTarget(t *testing.T) {
	tests := []struct {
		in   string
		want target
	}{
		{"sqlite:/data/shop.db", target{path: "/data/shop.db"}},
		{"sqlite:///data/shop.db", target{path: "/data/shop.db"}},
		{"/data/a b?c#d.db", target{path: "/data/a b?c#d.db"}},
		{"mysql://u:p@db:3307/shop",
			target{user: "u", password: "p", hosts: []address{{"tcp", "db:3307"}}, name: "shop"}},
		{"mysql://u@db/shop", target{user: "u", hosts: []address{{"tcp", "db:3306"}}, name: "shop"}},
		{"mysql://u@db:/shop", target{user: "u", hosts: []address{{"tcp", "db:3306"}}, name: "shop"}},
		{"mysql://u:p@[::1]:3307/shop",
			target{user: "u", password: "p", hosts: []address{{"tcp", "[::1]:3307"}}, name: "shop"}},
		{"mysql://u:p@[::1]/shop",
			target{user: "u", password: "p", hosts: []address{{"tcp", "[::1]:3306"}}, name: "shop"}},
		{"mysql://u:a@b:c/d?e@db/shop",
			target{user: "u", password: "a@b:c/d?e", hosts: []address{{"tcp", "db:3306"}}, name: "shop"}},
		{"mysql://u:%40%2f%25@db/shop",
			target{user: "u", password: "@/%", hosts: []address{{"tcp", "db:3306"}}, name: "shop"}},
		{"mysql://u:100%@db/shop",
			target{user: "u", password: "100%", hosts: []address{{"tcp", "db:3306"}}, name: "shop"}},
		{"mysql://u:p@unix(/run/my.sock)/shop",
			target{user: "u", password: "p", hosts: []address{{"unix", "/run/my.sock"}}, name: "shop"}},
		{"mysql://u:p,q@a:3307,b,[::1]/shop", target{user: "u", password: "p,q",
			hosts: []address{{"tcp", "a:3307"}, {"tcp", "b:3306"}, {"tcp", "[::1]:3306"}}, name: "shop"}},
		{"mysql://u@unix(/run/a),unix(/run/b)/shop?tls=false",
			target{user: "u", hosts: []address{{"unix", "/run/a"}, {"unix", "/run/b"}}, name: "shop", tls: "false"}},
		{"mysql://u@db/shop?tls=true",
			target{user: "u", hosts: []address{{"tcp", "db:3306"}}, name: "shop", tls: "true"}},
	}
	for _, tc := range tests {
		t.Run(tc.in, func(t *testing.T) {
			if got, err := parseTarget(tc.in); !reflect.DeepEqual(got, tc.want) || err != nil {
				t.Errorf("got %+v, %v, want %+v", got, err, tc.want)
			}
		})
	}
}

func TestParseTargetErrors(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "empty"},
		{"sqlite:", "path is missing"},
		{"sqlite::memory:", "memory"},
		{"postgres://u:secret@db/shop", "scheme"},
		{"mysql://db/shop", "user is missing"},
		{"mysql://:secret@db/shop", "user is empty"},
		{"mysql://u:secret@/shop", "host is missing"},
		{"mysql://u:secret@db", "name is missing"},
		{"mysql://u:secret@db/", "name is missing"},
		{"mysql://u:secret@db/a/b", "name is missing"},
		{"mysql://u:secret@unix(/run/my.sock", "unix("},
		{"mysql://u:secret@unix()/shop", "unix("},
		{"mysql://u:secret@unix(/a)b/shop", "unix("},
		{"mysql://u:secret@a,/shop", "host is missing"},
		{"mysql://u:secret@a,,b/shop", "host is missing"},
		{"mysql://u:secret@a,b:3306,a:3306/shop", "named twice"},
		{"mysql://u:secret@a:port/shop", "a port is a number"},
		{"mysql://u:secret@a:70000/shop", "a port is a number"},
		{"mysql://u:secret@a,b,c,d,e,f,g,h,i,j/shop", "at most 9 hosts"},
		{"mysql://u:secret@db/shop?tls=perhaps", "tls must be one of"},
		{"mysql://u:secret@db/shop?parseTime=false", "only the parameter"},
		{"mysql://u:secret@db/shop?a=%zz", "malformed"},
	}
	for _, tc := range tests {
		t.Run(tc.in, func(t *testing.T) {
			_, err := parseTarget(tc.in)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error contains the password: %v", err)
			}
		})
	}
}

func TestRedacted(t *testing.T) {
	tests := []struct{ in, want string }{
		{"mysql://u:secret@db:3307/shop", "mysql://u:***@db:3307/shop"},
		{"mysql://u@unix(/run/my.sock)/shop", "mysql://u@unix(/run/my.sock)/shop"},
		{"mysql://u:secret@a,b:3307/shop", "mysql://u:***@a:3306,b:3307/shop"},
		{"sqlite:/data/shop.db", "sqlite:/data/shop.db"},
		{"mysql://u:secret@", "(not a database address)"},
	}
	for _, tc := range tests {
		t.Run(tc.in, func(t *testing.T) {
			c := Config{Database: tc.in}
			if got := c.Redacted(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			var log strings.Builder
			slog.New(slog.NewTextHandler(&log, nil)).Info("open", "config", c)
			if strings.Contains(log.String(), "secret") {
				t.Errorf("the log contains the password: %s", log.String())
			}
		})
	}
}
