-- Create "processes" table
CREATE TABLE `processes` (`id` blob NOT NULL, `role` text NOT NULL, `host` text NOT NULL, `pid` integer NOT NULL, `version` text NOT NULL, `started_at` integer NOT NULL, `seen_at` integer NOT NULL, `rates` blob NULL, `rates_at` integer NOT NULL DEFAULT (0), PRIMARY KEY (`id`));
-- Create index "process_seen_at" to table: "processes"
CREATE INDEX `process_seen_at` ON `processes` (`seen_at`);
-- Create "revocations" table
CREATE TABLE `revocations` (`home` blob NOT NULL, `id` blob NOT NULL, `owner` blob NOT NULL, `at` integer NOT NULL, PRIMARY KEY (`home`, `id`));
-- Create index "revocation_at_owner" to table: "revocations"
CREATE INDEX `revocation_at_owner` ON `revocations` (`at`, `owner`);
