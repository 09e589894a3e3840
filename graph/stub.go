package graph

import "errors"

var errStub = errors.New("not built yet")
