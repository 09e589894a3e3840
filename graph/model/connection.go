package model

import "github.com/storefront-go/storefront/ent/db"

// Connection is one page of a list, in Relay's form.
type Connection[T any] struct {
	Nodes []T
	// Next is the cursor to the next page; empty on the last page. It may lie beyond the last node,
	// after rows that were scanned but did not match.
	Next string
	// Sign returns the cursor of a node.
	Sign func(T) string
}

// Edge is a node with its cursor.
type Edge[T any] struct {
	Cursor string
	Node   T
}

// Edges returns the nodes, each with its cursor.
func (c *Connection[T]) Edges() []*Edge[T] {
	edges := make([]*Edge[T], len(c.Nodes))
	for i, n := range c.Nodes {
		edges[i] = &Edge[T]{c.Sign(n), n}
	}
	return edges
}

// PageInfo returns the cursors of the page.
func (c *Connection[T]) PageInfo() *PageInfo {
	info := &PageInfo{HasNextPage: c.Next != ""}
	if len(c.Nodes) > 0 {
		info.StartCursor = new(c.Sign(c.Nodes[0]))
		info.EndCursor = new(c.Sign(c.Nodes[len(c.Nodes)-1]))
	}
	if c.Next != "" { // may lie beyond the last node
		info.EndCursor = &c.Next
	}
	return info
}

// The lists of the schema, by their names there.
//
//revive:disable:exported
type (
	StaffConnection                 = Connection[*Staff]
	StaffEdge                       = Edge[*Staff]
	InvitationConnection            = Connection[*Invitation]
	InvitationEdge                  = Edge[*Invitation]
	StaffTokenConnection            = Connection[*db.StaffToken]
	StaffTokenEdge                  = Edge[*db.StaffToken]
	APIKeyConnection                = Connection[*APIKey]
	APIKeyEdge                      = Edge[*APIKey]
	ProductConnection               = Connection[*db.Product]
	ProductEdge                     = Edge[*db.Product]
	InventoryConnection             = Connection[*db.Product]
	InventoryEdge                   = Edge[*db.Product]
	InventoryChangeConnection       = Connection[*InventoryChange]
	InventoryChangeEdge             = Edge[*InventoryChange]
	MediaConnection                 = Connection[*db.ProductImage]
	MediaEdge                       = Edge[*db.ProductImage]
	PriceChangeConnection           = Connection[*PriceChange]
	PriceChangeEdge                 = Edge[*PriceChange]
	PageConnection                  = Connection[*db.Page]
	PageEdge                        = Edge[*db.Page]
	CustomerConnection              = Connection[*Customer]
	CustomerEdge                    = Edge[*Customer]
	OrderConnection                 = Connection[*Order]
	OrderEdge                       = Edge[*Order]
	OrderNoteConnection             = Connection[*OrderNote]
	OrderNoteEdge                   = Edge[*OrderNote]
	AppConnection                   = Connection[*App]
	AppEdge                         = Edge[*App]
	InstalledAppConnection          = Connection[*InstalledApp]
	InstalledAppEdge                = Edge[*InstalledApp]
	GrantConnection                 = Connection[*Grant]
	GrantEdge                       = Edge[*Grant]
	NotificationConnection          = Connection[*Notification]
	NotificationEdge                = Edge[*Notification]
	AccountEventConnection          = Connection[*AccountEvent]
	AccountEventEdge                = Edge[*AccountEvent]
	EventConnection                 = Connection[*Event]
	EventEdge                       = Edge[*Event]
	LoggedRequestConnection         = Connection[*LoggedRequest]
	LoggedRequestEdge               = Edge[*LoggedRequest]
	WebhookEndpointConnection       = Connection[*WebhookEndpoint]
	WebhookEndpointEdge             = Edge[*WebhookEndpoint]
	WebhookDeliveryConnection       = Connection[*WebhookDelivery]
	WebhookDeliveryEdge             = Edge[*WebhookDelivery]
	ExportConnection                = Connection[*Export]
	ExportEdge                      = Edge[*Export]
	ImportConnection                = Connection[*Import]
	ImportEdge                      = Edge[*Import]
	ImportFindingConnection         = Connection[*db.ImportFinding]
	ImportFindingEdge               = Edge[*db.ImportFinding]
	ThemeConnection                 = Connection[*Theme]
	ThemeEdge                       = Edge[*Theme]
	ThemeAssetConnection            = Connection[*ThemeAsset]
	ThemeAssetEdge                  = Edge[*ThemeAsset]
	MarketplaceThemeConnection      = Connection[*MarketplaceTheme]
	MarketplaceThemeEdge            = Edge[*MarketplaceTheme]
	MarketplaceSubmissionConnection = Connection[*MarketplaceSubmission]
	MarketplaceSubmissionEdge       = Edge[*MarketplaceSubmission]
	CollectionConnection            = Connection[*db.Collection]
	CollectionEdge                  = Edge[*db.Collection]
	InvoiceConnection               = Connection[*Invoice]
	InvoiceEdge                     = Edge[*Invoice]
	ReturnConnection                = Connection[*Return]
	ReturnEdge                      = Edge[*Return]
	CustomFieldConnection           = Connection[*db.CustomField]
	CustomFieldEdge                 = Edge[*db.CustomField]
	LocationConnection              = Connection[*Location]
	LocationEdge                    = Edge[*Location]
	DiscountConnection              = Connection[*db.Discount]
	DiscountEdge                    = Edge[*db.Discount]
	AuditEntryConnection            = Connection[*AuditEntry]
	AuditEntryEdge                  = Edge[*AuditEntry]
)
