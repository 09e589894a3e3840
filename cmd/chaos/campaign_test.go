package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

// A short campaign ends with nothing lost, duplicated, out of order, answered differently or left
// undone. It has three faults on SQLite, or each possible kind on both engines if campaigns are
// requested.
func TestCampaign(t *testing.T) {
	storetest.Sequential(t)
	binary := filepath.Join(t.TempDir(), "storefront")
	if err := build(t.Context(), binary); err != nil {
		t.Fatal(err)
	}
	s := flags{Engine: "sqlite", Binary: binary, Seed: 1, Kills: 3, Time: 3 * time.Minute}
	if !storetest.Campaigns() {
		s.passes(t)
		return
	}
	s.Kills = 8
	t.Run("sqlite", func(t *testing.T) { s.parallel(t) })
	folder := os.Getenv(storetest.EnvMySQL)
	switch info, err := os.Stat(folder); {
	case err == nil && info.IsDir():
		s.Engine, s.MySQL = "mysql", folder
	case mariadb.Installed() && folder == "":
		s.Engine = "mariadb"
	default:
		storetest.HaveMySQL(t) // a server that is given cannot be killed
		return
	}
	t.Run("mysql", func(t *testing.T) { s.parallel(t) })
}

func (c flags) parallel(t *testing.T) {
	t.Parallel()
	c.passes(t)
}

func (c flags) passes(t *testing.T) {
	t.Helper()
	l, err := run(t.Context(), c, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	v := judge(l)
	report(t.Output(), l, v, 0)
	if !v.Good() {
		t.Error("the verdict is not good")
	}
	if len(l.Faults) != c.Kills || len(l.Writes) < 100 || len(l.Deliveries) < 100 || len(l.Readings) < 2 {
		t.Errorf("%d faults, %d writes, %d deliveries, %d readings: too little happened", len(l.Faults), len(l.Writes),
			len(l.Deliveries), len(l.Readings))
	}
}
