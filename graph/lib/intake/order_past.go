package intake

import "strings"

// past reads the states of other systems: what was paid, shipped and cancelled.
func (m *orderMapper) past() {
	first := m.rows[0]
	financial := strings.ToLower(first.get("financial_status"))
	shipped := strings.ToLower(first.get("fulfillment_status"))
	switch status := strings.TrimPrefix(strings.ToLower(first.get("order_status")+first.get("status")), "wc-"); status {
	case "", "open", "pending", "pending payment", "on-hold", "on hold":
	case "processing":
		financial = "paid"
	case "completed":
		m.members["status"] = status
		if first.get("order_status") != "" {
			financial, shipped = "paid", "fulfilled"
		}
	case "refunded":
		financial = status
	case "cancelled", "canceled", "failed":
		m.cancel()
	default:
		m.wrong("The status %q is unknown.", Clip(status, sampleLen))
	}
	m.payment(financial)
	m.shipment(shipped)
	m.end(financial, shipped)
}

// payment sets what was paid and refunded.
func (m *orderMapper) payment(financial string) {
	total, _ := m.members["total_minor"].(int64)
	paid, given := m.members["paid_minor"].(int64)
	back, _ := m.members["refunded_minor"].(int64)
	switch financial {
	case "", "pending", "authorized", "expired":
	case "voided":
		m.cancel()
	case "paid":
		paid = total
	case "refunded":
		if paid = total; back == 0 {
			back = total
		}
	case "partially_refunded":
		if paid = total; back == 0 {
			m.wrong("The order is partially refunded, and the file does not say how much.")
		}
	case "partially_paid":
		open := m.money(m.rows[0], "outstanding")
		switch {
		case given:
		case open == nil || *open < 1 || *open >= total:
			m.wrong("The order is partially paid, and the file does not say how much is outstanding.")
		default:
			paid = total - *open
		}
	default:
		m.wrong("The financial status %q is unknown.", Clip(financial, sampleLen))
	}
	m.members["paid_minor"], m.members["refunded_minor"] = paid, back
}

// cancel marks the order as cancelled, at the time of the order if the file does not say when.
func (m *orderMapper) cancel() {
	if m.members["status"] = "cancelled"; m.members["cancelled_at"] == nil {
		m.note("The file does not say when the order was cancelled. The time of the order is imported.")
	}
}

// shipment sets which lines were shipped.
func (m *orderMapper) shipment(status string) {
	switch status {
	case "", "unfulfilled", "restocked", "pending", "on_hold", "scheduled", "in_progress":
	case "fulfilled":
		m.members["fulfillment_status"] = status
	case "partial", "partially_fulfilled":
		for _, l := range m.lines {
			switch text := strings.ToLower(l.row.get("line_item_status")); {
			case l.members["fulfilled_quantity"] != nil:
			case text == "fulfilled":
				l.members["fulfilled_quantity"] = l.members["quantity"]
			case text == "partial":
				m.note("Line %d was shipped in part. It is imported as not shipped.", l.row.line)
			}
		}
	default:
		m.wrong("The fulfillment status %q is unknown.", Clip(status, sampleLen))
	}
}

// end sets whether the order is cancelled or completed. An order of which items were shipped cannot be
// cancelled here.
func (m *orderMapper) end(financial, shipped string) {
	some := shipped == "fulfilled"
	for _, l := range m.lines {
		n, _ := l.members["fulfilled_quantity"].(int64)
		some = some || n > 0
	}
	switch cancelled := m.members["cancelled_at"] != nil || m.members["status"] == "cancelled"; {
	case cancelled && some:
		m.note("The order was cancelled after a shipment and is imported as shipped.")
		delete(m.members, "cancelled_at")
		delete(m.members, "status")
	case cancelled:
		m.members["status"] = "cancelled"
	case shipped == "fulfilled" && (financial == "paid" || strings.HasSuffix(financial, "refunded")):
		m.members["status"] = "completed"
		if m.members["completed_at"] == nil && m.members["fulfilled_at"] != nil {
			m.members["completed_at"] = m.members["fulfilled_at"]
		}
	}
}
