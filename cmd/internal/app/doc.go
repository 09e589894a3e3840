// Package app is the program behind the commands: its settings, how the parts
// are wired, how it runs and how it drains.
//
// [Open] gives what every command needs: the migrated database, the root secret
// and the core. [Start] adds the listeners, the admin port and the background
// loops on top; [Server.Shutdown] takes them down in reverse. [Diagnose] looks
// at all of it and changes nothing.
package app
