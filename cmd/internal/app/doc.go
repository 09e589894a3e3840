// Package app is the program behind the commands: its settings, wiring, start and shutdown.
//
// [Open] provides what every command needs: the migrated database, the root secret and the core.
// [Start] adds the listeners, the admin port and the background loops; [Server.Shutdown] stops them
// in reverse. [Diagnose] checks all of it and changes nothing.
package app
