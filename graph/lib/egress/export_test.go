package egress

// What tests judge without a network that fails.
var (
	RouteTrouble = routeTrouble
	Routed       = routed
)
