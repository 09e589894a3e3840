package egress

// Exports for tests that need no failing network.
var (
	RouteTrouble = routeTrouble
	Routed       = routed
)
