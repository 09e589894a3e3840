package graph_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
)

// actions holds the audit actions of mutations whose names do not determine them.
var actions = map[string]string{
	"savedViewsSave": "staff.set_views", "savedViewDelete": "staff.set_views",
	"mediaDelete":              "media.delete",
	"mediaUpdate":              "media.update",
	"mediaUpload":              "media.upload",
	"inventoryAdjust":          "inventory.adjust",
	"inventoryTransfer":        "inventory.transfer",
	"productImageUse":          "product.image_add",
	"productUpsert":            "product.update", // or product.create
	"storefrontUpdate":         "storefront.update",
	"invoicesIssue":            "invoice.issue",
	"installedAppRevoke":       "grant.revoke", // one row for each grant that ends
	"notificationsMarkAllRead": "notification.mark_all_read",
	"signOutEverywhere":        "session.end_all",
	"testStoreFill":            "store.fill",
	"testStoreReset":           "store.reset",
	"webhookDeliveriesRetry":   "webhook_delivery.retry_all",
	"webhookEventReplay":       "webhook_endpoint.replay_event",
}

// unaudited holds the mutations that write no row to the audit log, with the reason.
var unaudited = map[string]string{
	"sessionProve":       ownLog,
	"passkeyAsk":         ownLog,
	"totpBegin":          ownLog,
	"totpConfirm":        ownLog,
	"passkeyBegin":       ownLog,
	"passkeyFinish":      ownLog,
	"factorRename":       ownLog,
	"factorRemove":       ownLog,
	"recoveryCodesRenew": ownLog,
	"addressVerify":      "it changes nothing until the link is opened, and then the person's own log has it",
	"addressChange":      "as addressVerify",
}

// ownLog is why no store's audit log records what people do with their second factors.
const ownLog = "it concerns the person alone and is in their security log"

// auditLog reads what mutations write to the audit log of all stores.
type auditLog struct {
	store *ent.Store
	seen  map[xid.ID]bool
	found map[string]bool // by field: its action was written
}

func newAuditLog(t *testing.T, s *ent.Store) *auditLog {
	l := &auditLog{store: s, seen: map[xid.ID]bool{}, found: map[string]bool{}}
	l.fresh(t)
	return l
}

// fresh returns the actions since the last call. It reads all stores, because a mutation may write
// to two.
func (l *auditLog) fresh(t *testing.T) (list []string) {
	t.Helper()
	rows, err := l.store.Raw().QueryContext(t.Context(), "SELECT id, action FROM audit_log")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id xid.ID
		var action string
		if err := rows.Scan(&id, &action); err != nil {
			t.Fatal(err)
		}
		if !l.seen[id] {
			l.seen[id] = true
			list = append(list, action)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// check checks what a mutation wrote: a refused one must write nothing.
func (l *auditLog) check(t *testing.T, field string, refused bool) {
	t.Helper()
	left := l.fresh(t)
	if refused && len(left) > 0 {
		t.Errorf("refused, but the audit log has %v", left)
	}
	if slices.Contains(left, actionOf(field)) {
		l.found[field] = true
	}
}

// complete reports the mutations that wrote no row with their action.
func (l *auditLog) complete(t *testing.T) {
	t.Helper()
	for _, f := range graph.Schema().Mutation.Fields {
		if _, excused := unaudited[f.Name]; l.found[f.Name] == excused && !strings.HasPrefix(f.Name, "__") {
			t.Errorf("%s: audit action %s written: %v", f.Name, actionOf(f.Name), l.found[f.Name])
		}
	}
}

// actionOf returns the action of a mutation, with a dot after its first part.
func actionOf(field string) string {
	if a, ok := actions[field]; ok {
		return a
	}
	var b strings.Builder
	for _, r := range field {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	words := b.String()
	for _, kind := range slices.Backward(kinds) {
		if rest, ok := strings.CutPrefix(words, kind+"_"); ok {
			return kind + "." + rest
		}
	}
	return words
}

// kinds are the first parts of actions; a longer one follows the shorter one that it starts with.
var kinds = []string{
	"api_key", "app", "collection", "custom_field",
	"customer", "discount", "domain", "email_sender", "export", "grant", "import", "invitation",
	"invoice_settings", "location",
	"marketplace_theme",
	"menus", "notification", "order", "page", "password", "payment_account",
	"payment_settings", "product", "report", "session", "shipping_zone",
	"staff", "staff_token", "store", "tax_settings", "theme", "webhook_delivery", "webhook_endpoint",
}
