package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
)

// AppendAudit appends an audit entry.
func AppendAudit(b []byte, a *db.Audit) []byte {
	o := Open(b)
	o.ID("id", xid.Audit, a.ID)
	o.Name("actor")
	by := Open(o.B)
	by.Plain("type", string(a.ActorType))
	var actor xid.ID // the operator has none
	if a.ActorID != nil {
		actor = *a.ActorID
	}
	by.Str("id", ActorID(a.ActorType, actor))
	by.Str("name", a.ActorName)
	o.B = by.Close()
	o.Str("action", a.Action)
	o.Str("resource_type", a.ResourceType)
	o.ID("resource_id", xid.KindOf(a.ResourceType), a.ResourceID)
	o.StrOpt("detail", a.Detail)
	o.StrOpt("address", a.Address)
	o.StrOpt("agent", a.Agent)
	o.StrOpt("request_id", a.RequestID)
	o.Time("created_at", a.ID.Time())
	return o.Close()
}
