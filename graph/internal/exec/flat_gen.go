package exec

var flatTypes map[string]flatType
