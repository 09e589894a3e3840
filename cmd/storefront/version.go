package main

type versionCmd struct{ output }

func (c *versionCmd) Run(s *session) error {
	b := s.build
	return c.print(s, b, table{
		{"storefront", b.Version}, {"revision", b.Revision}, {"built with", b.Go + " for " + b.Platform},
	})
}
