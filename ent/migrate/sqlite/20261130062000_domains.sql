-- Add column "domain" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `domain` text NULL;
-- Create "domains" table
CREATE TABLE `domains` (`store_id` blob NOT NULL, `id` blob NOT NULL, `bucket` integer NOT NULL, `host` text NOT NULL, `token` text NOT NULL, `due_at` integer NOT NULL, `tries` integer NOT NULL DEFAULT (0), `proved_at` integer NULL, `checked_at` integer NULL, `missed` integer NOT NULL DEFAULT (0), `problem` text NULL, `preferred` bool NOT NULL DEFAULT (false), `certificate` blob NULL, `certificate_until` integer NULL, `certificate_due` integer NULL, `certificate_failures` integer NOT NULL DEFAULT (0), `certificate_problem` text NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "domain_store_id_host" to table: "domains"
CREATE UNIQUE INDEX `domain_store_id_host` ON `domains` (`store_id`, `host`);
-- Create index "domain_bucket_due_at" to table: "domains"
CREATE INDEX `domain_bucket_due_at` ON `domains` (`bucket`, `due_at`);
-- Create "domain_hosts" table
CREATE TABLE `domain_hosts` (`host` text NOT NULL, `store_id` blob NOT NULL, PRIMARY KEY (`host`));
