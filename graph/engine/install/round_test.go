package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/db/themeasset"
	"github.com/storefront-go/storefront/ent/db/themeupload"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/lease"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// A round turns an archive into a theme: its rows, its bytes and one theme.installed event with the
// theme as the API returns it.
func TestRound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m, log := newMerchant(t, s), new(storetest.Log)
		row := m.accept("Linen", "a")
		if row.Status != state.ThemeProcessing || row.Version != 1 || row.EventSequence != 0 {
			t.Errorf("accepted %v", row)
		}
		m.round(m.Keeper)
		done := m.now(row)
		if done.Status != state.ThemeInactive || done.AssetCount != 2 || done.Version != 2 || done.EventSequence != 1 ||
			done.DueAt != micros.Max || done.UpdatedAt <= row.UpdatedAt || done.Checksum != row.Checksum ||
			done.Preview == nil {
			t.Errorf("done %v", done)
		}
		events := log.Next(t, s)
		if len(events) != 1 || events[0].Type != "theme.installed" {
			t.Fatalf("got %v", events)
		}
		var body struct {
			Data struct{ Object json.RawMessage }
		}
		if err := json.Unmarshal(events[0].Body, &body); err != nil {
			t.Fatal(err)
		}
		link := "https://" + m.row.Handle + ".example/?theme=" + done.PublicID()
		if want := string(wire.AppendTheme(nil, done, state.ThemeInactive, &link)); string(body.Data.Object) != want {
			t.Errorf("emitted %s, want %s", body.Data.Object, want)
		}
		m.wantCounts("theme_uploads 0, theme_packages 1, theme_assets 2, notifications 0")
		m.check(done)
		// Nothing is left to do.
		m.round(m.Keeper)
		if got := log.Since(t, s); got != "" {
			t.Errorf("a second round emitted %s", got)
		}
	})
}

// check compares the rows of a theme with its package and its bytes.
func (m *merchant) check(row *db.Theme) {
	m.t.Helper()
	p, err := m.Package(m.ctx, row.Checksum)
	if err != nil {
		m.t.Fatal(err)
	}
	assets, err := m.Store.DB(m.ctx).ThemeAsset.Query().Where(themeasset.ThemeID(row.ID)).
		Order(db.Asc(themeasset.FieldPath)).All(m.ctx)
	if err != nil || len(assets) != len(p.Assets) || row.AssetCount != int64(len(assets)) || row.SizeBytes != p.Size() {
		m.t.Fatalf("%d assets of %d, %v", len(assets), len(p.Assets), err)
	}
	for i, a := range p.Assets {
		got := theme.Asset{Path: assets[i].Path, Kind: assets[i].Kind, ContentType: assets[i].ContentType,
			Size: assets[i].SizeBytes, Sum: assets[i].Checksum, Width: assets[i].Width, Height: assets[i].Height}
		if d := cmp.Diff(a, got); d != "" {
			m.t.Error(d)
		}
		body, err := m.Blobs.Get(m.ctx, theme.BlobKey(a.Sum, a.ContentType), 1<<20)
		if err != nil || int64(len(body)) != a.Size {
			m.t.Errorf("%s has %d bytes, %v", a.Path, len(body), err)
		}
	}
}

// Of two concurrent processes, one processes each theme.
func TestRoundsAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m, log := newMerchant(t, s), new(storetest.Log)
		const themes = 6
		var rows []*db.Theme
		for i := range themes {
			rows = append(rows, m.accept("Linen", string(rune('a'+i%3))))
		}
		var wg sync.WaitGroup
		for _, k := range []*Keeper{m.Keeper, m.another(s, m.folder), m.another(s, m.folder)} {
			wg.Go(func() {
				if err := k.Round(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := strings.Count(log.Since(t, s), "theme.installed"); got != themes {
			t.Errorf("%d of %d themes", got, themes)
		}
		for _, row := range rows {
			if now := m.now(row); now.Tries != 1 {
				t.Errorf("a theme was tried %d times", now.Tries)
			}
		}
		m.wantCounts("theme_uploads 0, theme_packages 3, theme_assets 12")
	})
}

// When a process is killed at any point, another one finishes once the claim has expired.
func TestRoundTakesOver(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		for name, before := range map[string]func(k *Keeper, ctx context.Context, row *db.Theme) error{
			"claimed": func(*Keeper, context.Context, *db.Theme) error { return nil },
			"unpacked": func(
				k *Keeper, ctx context.Context, row *db.Theme,
			) error {
				_, err := k.read(ctx, row.ID)
				return err
			},
			"half the bytes": func(k *Keeper, ctx context.Context, row *db.Theme) error {
				p, err := k.read(ctx, row.ID)
				if err == nil {
					p.Assets = p.Assets[:1]
					err = k.keepAssets(ctx, p)
				}
				return err
			},
			"all the bytes": func(k *Keeper, ctx context.Context, row *db.Theme) error {
				p, err := k.read(ctx, row.ID)
				if err == nil {
					err = k.keepAssets(ctx, p)
				}
				return err
			},
		} {
			t.Run(name, func(t *testing.T) {
				m, log := newMerchant(t, s), new(storetest.Log)
				killed, row := m.another(s, m.folder), m.accept("Linen", "a")
				log.Mark(t, s)
				if mine, err := killed.claim(m.ctx, row); !mine || err != nil {
					t.Fatalf("claimed: %t, %v", mine, err)
				}
				row.Tries++
				if err := before(killed, m.ctx, row); err != nil {
					t.Fatal(err)
				}
				m.round(m.Keeper)
				held := m.now(row)
				if left := held.DueAt.Sub(micros.Now()); held.Status != state.ThemeProcessing || left <= 0 ||
					left > terms.Length {
					t.Errorf("a claimed theme was touched, or is held for %s", left)
				}
				m.pull()
				m.round(m.Keeper)
				done := m.now(row)
				if done.Status != state.ThemeInactive || log.Since(t, s) != "theme.installed" {
					t.Errorf("done %v", done)
				}
				m.check(done)
				// It was not killed after all: what it still does changes nothing.
				p, err := theme.ReadFS(m.Samples[0].Files)
				if err != nil {
					t.Fatal(err)
				}
				if err := killed.settle(m.ctx, row, killed.finish(m.ctx, row, p)); err != nil {
					t.Error(err)
				}
				if again := m.now(row); again.Version != done.Version || again.Checksum != done.Checksum ||
					log.Since(t, s) != "" {
					t.Errorf("the late process wrote %v", again)
				}
			})
		}
	})
}

// A process whose claim has expired writes nothing while another one works.
func TestRoundLate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := newMerchant(t, s)
		row := m.accept("Linen", "a")
		p, err := m.read(m.ctx, row.ID)
		if err != nil {
			t.Fatal(err)
		}
		late := *row
		for _, r := range []*db.Theme{&late, row} {
			m.pull()
			if mine, err := m.claim(m.ctx, m.now(row)); !mine || err != nil {
				t.Fatalf("claimed: %t, %v", mine, err)
			}
			r.Tries = m.now(row).Tries
		}
		err = m.queue.Delay(m.ctx, late.StoreID, late.ID, late.Tries, terms.Length)
		if !errors.Is(err, lease.ErrLost) {
			t.Errorf("the late process renews: %v", err)
		}
		if err := m.finish(m.ctx, &late, p); !errors.Is(err, errLost) {
			t.Errorf("the late process finishes: %v", err)
		}
		m.pull()
		if mine, err := m.claim(m.ctx, &late); mine || err != nil {
			t.Errorf("the late process claims: %t, %v", mine, err)
		}
		m.wantCounts("theme_packages 1, theme_assets 0, events 0") // the sweep removes the package
		if err := errors.Join(m.keepAssets(m.ctx, p), m.finish(m.ctx, row, p)); err != nil {
			t.Fatal(err)
		}
		m.check(m.now(row))
	})
}

// A theme whose bytes cannot be stored is tried eight times with growing pauses, then given up, and
// the people of the store are notified.
func TestRoundGivesUp(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m, log := newMerchant(t, s), new(storetest.Log)
		row, broken := m.accept("Linen", "a"), m.broken(s)
		for n := 1; n < maxTries; n++ {
			before := micros.Now()
			m.round(broken)
			now := m.now(row)
			pause := now.DueAt.Sub(before).Truncate(time.Second)
			if want := retryAfter << (n - 1); now.Tries != n || now.Status != state.ThemeProcessing || pause < want ||
				pause > want+5*time.Second {
				t.Fatalf("after try %d: %d tries, %s, the next %s later", n, now.Tries, now.Status, pause)
			}
			m.round(broken) // not due
			if m.now(row).Tries != n {
				t.Fatal("it was tried before its time")
			}
			m.pull()
		}
		m.round(broken)
		failed := m.now(row)
		if failed.Status != state.ThemeFailed || failed.DueAt != micros.Max || failed.Version != 2 ||
			failed.EventSequence != 0 {
			t.Errorf("given up: %v", failed)
		}
		m.wantCounts("theme_uploads 0, theme_packages 0, theme_assets 0, events 0")
		notice, err := s.DB(m.ctx).Notification.Query().Only(m.ctx)
		if err != nil || notice.Title != "The theme could not be processed: Linen" || *notice.ResourceID != row.ID ||
			log.Since(t, s) != "" {
			t.Errorf("notified %v, %v", notice, err)
		}
		m.pull()
		m.round(m.Keeper)
		if m.now(row).Status != state.ThemeFailed {
			t.Error("a failed theme was retried")
		}
	})
}

// The eighth attempt may be killed, too.
func TestRoundKilledEightTimes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := newMerchant(t, s)
		row := m.accept("Linen", "a")
		for range maxTries {
			if mine, err := m.claim(m.ctx, m.now(row)); !mine || err != nil {
				t.Fatalf("claimed: %t, %v", mine, err)
			}
			m.pull()
		}
		m.round(m.Keeper)
		if now := m.now(row); now.Status != state.ThemeFailed ||
			m.count("theme_uploads", "notifications") != "theme_uploads 0, notifications 1" {
			t.Errorf("now %v, %s", now, m.count("theme_uploads", "notifications"))
		}
	})
}

// A blob store that is unavailable for a minute delays a theme by little more.
func TestRoundInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		m := newMerchant(t, s)
		row, broken, start := m.accept("Linen", "a"), m.broken(s), time.Now()
		for time.Since(start) < time.Minute {
			m.round(broken)
			time.Sleep(5 * time.Second)
		}
		for m.now(row).Status == state.ThemeProcessing {
			time.Sleep(5 * time.Second)
			m.round(m.Keeper)
		}
		if now, took := m.now(row), time.Since(start); now.Status != state.ThemeInactive || took > 2*time.Minute {
			t.Errorf("%s after %s and %d tries", now.Status, took, now.Tries)
		}
	})
}

// A claim that is renewed stays with its process, however long the work takes; without renewal it
// would expire.
func TestRenew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMerchant(t, storetest.Open(t))
		row := m.accept("Linen", "a")
		if mine, err := m.claim(m.ctx, row); !mine || err != nil {
			t.Fatal(err)
		}
		row.Tries++
		held := terms.Take(m.ctx, time.Now())
		defer held.End()
		m.keep(held, row)
		time.Sleep(time.Minute)
		_, all := storetest.AllStores(t, m.Store)
		if rows, err := m.due(all); err != nil || len(rows) != 0 {
			t.Errorf("%d themes are due, %v", len(rows), err)
		}
		// The theme is deleted.
		err := m.Store.InTx(m.ctx, func(ctx context.Context) error {
			_, err := m.Store.DB(ctx).Theme.Delete().Where(dbtheme.ID(row.ID)).Exec(ctx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		<-held.Context().Done()
		if cause := context.Cause(held.Context()); !errors.Is(cause, lease.ErrLost) {
			t.Errorf("the work continued: %v", cause)
		}
	})
}

// A program that stops releases its theme: no attempt is lost, and it is due now.
func TestRoundStops(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := newMerchant(t, s)
		row := m.accept("Linen", "a")
		k := m.another(s, m.folder)
		k.judging <- struct{}{} // another archive is being validated
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := k.Round(ctx); err != nil {
				t.Error(err)
			}
		})
		for m.now(row).Tries == 0 { // until it is claimed
			if t.Context().Err() != nil {
				t.Fatal("it is never claimed")
			}
		}
		cancel()
		wg.Wait()
		if now := m.now(row); now.Tries != 0 || now.DueAt > micros.Now() || now.Status != state.ThemeProcessing {
			t.Errorf("given back: %v", now)
		}
		m.round(m.Keeper)
		m.check(m.now(row))
	})
}

// An archive that a newer program refuses, or that is damaged, is given up at once, with the
// reason.
func TestRoundRefuses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		refused, err := pack([]byte("no zip"))
		if err != nil {
			t.Fatal(err)
		}
		for name, archive := range map[string][]byte{
			"refused": refused, "damaged": []byte("no gzip"), "cut": refused[:len(refused)-3],
		} {
			m := newMerchant(t, s)
			row := m.accept("Linen", "a")
			if err := s.InTx(m.ctx, func(ctx context.Context) error {
				if _, err := s.DB(ctx).ThemeUpload.Delete().Exec(ctx); err != nil {
					return err
				}
				return s.DB(ctx).ThemeUpload.Create().SetID(row.ID).SetArchive(archive).Exec(ctx)
			}); err != nil {
				t.Fatal(err)
			}
			m.round(m.Keeper)
			notice, err := s.DB(m.ctx).Notification.Query().Only(m.ctx)
			if now := m.now(row); now.Status != state.ThemeFailed || now.Tries != 1 || err != nil || notice.Body == "" {
				t.Errorf("%s: now %v, notified %v, %v", name, now, notice, err)
			}
		}
	})
}

// The longest archive fits into a statement, whatever its content.
func TestRoundLongArchive(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := newMerchant(t, s)
		random := make([]byte, 10<<20)
		if _, err := rand.NewChaCha8([32]byte{}).Read(random); err != nil {
			t.Fatal(err)
		}
		p, err := theme.ReadFS(m.Samples[0].Files)
		if err != nil {
			t.Fatal(err)
		}
		for name, archive := range map[string][]byte{
			"zeros": make([]byte, 10<<20), "quotes": bytes.Repeat([]byte("'"), 10<<20), "random": random,
		} {
			err := s.InTx(m.ctx, func(ctx context.Context) error {
				row, err := m.Accept(ctx, Addition{Name: name, Source: state.ThemeUploaded, Package: p}, archive)
				if err != nil {
					return err
				}
				upload, err := s.DB(ctx).ThemeUpload.Query().Where(themeupload.ID(row.ID)).Only(ctx)
				if err != nil {
					return err
				}
				if back, err := unpack(upload.Archive); err != nil || !bytes.Equal(back, archive) {
					t.Errorf("%s: %d bytes, %v", name, len(back), err)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// A theme that is deleted while it is processed leaves only bytes.
func TestRoundDeleted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		m := newMerchant(t, s)
		row := m.accept("Linen", "a")
		if mine, err := m.claim(m.ctx, row); !mine || err != nil {
			t.Fatal(err)
		}
		row.Tries++
		if err := s.InTx(m.ctx, func(ctx context.Context) error {
			_, err := s.DB(ctx).Theme.Delete().Where(dbtheme.ID(row.ID)).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := m.settle(m.ctx, row, m.leased(m.ctx, row, time.Now())); err != nil {
			t.Error(err)
		}
		m.wantCounts("themes 0, theme_packages 1, theme_assets 0, events 0, notifications 0")
	})
}

// A keeper works in every store, each theme in its own.
func TestRoundManyStores(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		one := newMerchant(t, s)
		two := newMerchant(t, s)
		a, b := one.accept("Linen", "a"), two.accept("Linen", "a")
		one.round(one.Keeper)
		if one.now(a).Status != state.ThemeInactive || two.now(b).Status != state.ThemeInactive ||
			one.now(a).Checksum != two.now(b).Checksum {
			t.Error("not both are ready")
		}
		n, err := s.DB(two.ctx).Theme.Query().Count(viewer.Operator(t.Context(), two.row.ID))
		if err != nil || n != 1 || xid.Theme.Format(b.ID) != two.now(b).PublicID() {
			t.Errorf("the second store has %d themes, %v", n, err)
		}
	})
}
