package mcp_test

import (
	"encoding/json"
	"testing"
)

// maxListed is the largest list of all tools, in bytes: every agent reads it first.
const maxListed = 480 << 10

// The list of tools stays small enough for an agent's memory.
func TestListSize(t *testing.T) {
	listed, err := agent(t, tools(t), &asked{}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	total, output := 0, 0
	for _, tool := range listed.Tools {
		whole, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		schema, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		total, output = total+len(whole), output+len(schema)
		t.Logf("%-26s %6d bytes, output schema %6d", tool.Name, len(whole), len(schema))
	}
	if t.Logf("%d bytes, output schemas %d", total, output); total > maxListed {
		t.Errorf("the list of tools has %d bytes, at most %d are wanted", total, maxListed)
	}
}
