// Package e2e tries the program from outside: it builds the binary, starts it as
// a child with a data folder of its own and speaks to it as users, operators and
// attackers do. There is one file per promise of the API.
//
// Nothing here reaches into the process: what cannot be seen through HTTP, the
// command line, demo.json or a signal is tested beside its code.
package e2e
