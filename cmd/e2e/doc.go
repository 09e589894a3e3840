// Package e2e tests the program from outside: it builds the binary, starts it as a child process
// with its own data folder, and talks to it as users, operators and attackers do. There is one file
// per guarantee of the API.
//
// Nothing here reaches into the process: what cannot be observed through HTTP, the command line,
// demo.json or a signal is tested next to its code.
package e2e
