-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_deliveries" table
CREATE TABLE `new_deliveries` (`store_id` blob NOT NULL, `endpoint_id` blob NOT NULL, `sequence` integer NOT NULL, `id` blob NOT NULL, `event_id` blob NOT NULL, `resource_id` blob NOT NULL, `attempts` integer NOT NULL DEFAULT (0), `tries` integer NOT NULL DEFAULT (0), `first_at` integer NOT NULL DEFAULT (0), `due_at` integer NOT NULL DEFAULT (0), `tried_at` integer NOT NULL DEFAULT (0), `failed` bool NOT NULL DEFAULT (false), PRIMARY KEY (`store_id`, `endpoint_id`, `sequence`));
-- Copy rows from old table "deliveries" to new temporary table "new_deliveries"
INSERT INTO `new_deliveries` (`store_id`, `endpoint_id`, `sequence`, `id`, `event_id`, `resource_id`, `attempts`, `tries`, `first_at`, `due_at`, `failed`) SELECT `store_id`, `endpoint_id`, `sequence`, `id`, `event_id`, `resource_id`, `attempts`, `tries`, `first_at`, `due_at`, `failed` FROM `deliveries`;
-- Drop "deliveries" table after copying rows
DROP TABLE `deliveries`;
-- Rename temporary table "new_deliveries" to "deliveries"
ALTER TABLE `new_deliveries` RENAME TO `deliveries`;
-- Create "new_outbox" table
CREATE TABLE `new_outbox` (`bucket` integer NOT NULL, `store_id` blob NOT NULL, `id` blob NOT NULL, `generation` integer NOT NULL DEFAULT (0), `dealt_to` blob NULL, PRIMARY KEY (`bucket`, `store_id`, `id`));
-- Copy rows from old table "outbox" to new temporary table "new_outbox"
INSERT INTO `new_outbox` (`bucket`, `store_id`, `id`) SELECT `bucket`, `store_id`, `id` FROM `outbox`;
-- Drop "outbox" table after copying rows
DROP TABLE `outbox`;
-- Rename temporary table "new_outbox" to "outbox"
ALTER TABLE `new_outbox` RENAME TO `outbox`;
-- Add column "paused_until" to table: "webhook_endpoints"
ALTER TABLE `webhook_endpoints` ADD COLUMN `paused_until` integer NULL;
-- Add column "rate_limit" to table: "webhook_endpoints"
ALTER TABLE `webhook_endpoints` ADD COLUMN `rate_limit` integer NULL;
-- Add column "headers" to table: "webhook_endpoints"
ALTER TABLE `webhook_endpoints` ADD COLUMN `headers` blob NULL;
-- Add column "filters" to table: "webhook_endpoints"
ALTER TABLE `webhook_endpoints` ADD COLUMN `filters` text NULL;
-- Create "new_webhook_queues" table
CREATE TABLE `new_webhook_queues` (`store_id` blob NOT NULL, `id` blob NOT NULL, `bucket` integer NOT NULL, `generation` integer NOT NULL DEFAULT (0), `due_at` integer NOT NULL, `lease_token` integer NOT NULL DEFAULT (0), `lease_owner` blob NULL, `lease_until` integer NOT NULL DEFAULT (0), `set_at` integer NOT NULL DEFAULT (0), `wake` integer NOT NULL DEFAULT (0), `epoch` integer NOT NULL DEFAULT (0), `last_sequence` integer NOT NULL DEFAULT (0), `floor_sequence` integer NOT NULL DEFAULT (0), `resumed_at` integer NOT NULL DEFAULT (0), `missed_from` blob NULL, `replay_from` blob NULL, `replay_to` blob NULL, `failing_since` integer NULL, `failed_through` integer NOT NULL DEFAULT (0), `warned` integer NOT NULL DEFAULT (0), `streak` integer NOT NULL DEFAULT (0), `probe_at` integer NOT NULL DEFAULT (0), `last_success_at` integer NULL, `last_error` text NULL, PRIMARY KEY (`store_id`, `id`));
-- Copy rows from old table "webhook_queues" to new temporary table "new_webhook_queues"
INSERT INTO `new_webhook_queues` (`store_id`, `id`, `bucket`, `due_at`, `lease_token`, `lease_owner`, `lease_until`, `wake`, `epoch`, `last_sequence`, `floor_sequence`, `resumed_at`, `missed_from`, `replay_from`, `replay_to`, `failing_since`, `failed_through`, `warned`, `streak`, `probe_at`, `last_success_at`, `last_error`) SELECT `store_id`, `id`, `bucket`, `due_at`, `lease_token`, `lease_owner`, `lease_until`, `wake`, `epoch`, `last_sequence`, `floor_sequence`, `resumed_at`, `missed_from`, `replay_from`, `replay_to`, `failing_since`, `failed_through`, `warned`, `streak`, `probe_at`, `last_success_at`, `last_error` FROM `webhook_queues`;
-- Drop "webhook_queues" table after copying rows
DROP TABLE `webhook_queues`;
-- Rename temporary table "new_webhook_queues" to "webhook_queues"
ALTER TABLE `new_webhook_queues` RENAME TO `webhook_queues`;
-- Create index "webhookqueue_bucket_due_at" to table: "webhook_queues"
CREATE INDEX `webhookqueue_bucket_due_at` ON `webhook_queues` (`bucket`, `due_at`);
-- Create "outbox_failures" table
CREATE TABLE `outbox_failures` (`store_id` blob NOT NULL, `id` blob NOT NULL, `generation` integer NOT NULL DEFAULT (0), `failed_at` integer NOT NULL, `detail` text NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
