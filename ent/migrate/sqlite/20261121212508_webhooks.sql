-- Create "attempts" table
CREATE TABLE `attempts` (`store_id` blob NOT NULL, `endpoint_id` blob NOT NULL, `sequence` integer NOT NULL, `number` integer NOT NULL, `id` blob NOT NULL, `began_at` integer NOT NULL, `next_at` integer NULL, `attempt_id` blob NULL, `outcome` text NOT NULL, `status` integer NOT NULL DEFAULT (0), `duration` integer NOT NULL DEFAULT (0), `detail` text NULL, `response` blob NULL, PRIMARY KEY (`store_id`, `endpoint_id`, `sequence`, `number`));
-- Create "deliveries" table
CREATE TABLE `deliveries` (`store_id` blob NOT NULL, `endpoint_id` blob NOT NULL, `sequence` integer NOT NULL, `id` blob NOT NULL, `event_id` blob NOT NULL, `resource_id` blob NOT NULL, `attempts` integer NOT NULL DEFAULT (0), `tries` integer NOT NULL DEFAULT (0), `first_at` integer NOT NULL DEFAULT (0), `due_at` integer NOT NULL DEFAULT (0), `failed` bool NOT NULL DEFAULT (false), PRIMARY KEY (`store_id`, `endpoint_id`, `sequence`));
-- Create "delivery_logs" table
CREATE TABLE `delivery_logs` (`store_id` blob NOT NULL, `endpoint_id` blob NOT NULL, `sequence` integer NOT NULL, `id` blob NOT NULL, `event_id` blob NOT NULL, `type` text NOT NULL, `resource_id` blob NOT NULL, `state` text NOT NULL, `attempts` integer NOT NULL, `settled_at` integer NOT NULL, `began_at` integer NULL, `attempt_id` blob NULL, `outcome` text NOT NULL, `status` integer NOT NULL DEFAULT (0), `duration` integer NOT NULL DEFAULT (0), `detail` text NULL, `response` blob NULL, PRIMARY KEY (`store_id`, `endpoint_id`, `sequence`));
-- Create "endpoint_stats" table
CREATE TABLE `endpoint_stats` (`store_id` blob NOT NULL, `id` blob NOT NULL, `slot` integer NOT NULL, `delivered` integer NOT NULL DEFAULT (0), `failed` integer NOT NULL DEFAULT (0), `latency_sum` integer NOT NULL DEFAULT (0), `latency_max` integer NOT NULL DEFAULT (0), PRIMARY KEY (`store_id`, `id`, `slot`));
-- Create "mails" table
CREATE TABLE `mails` (`store_id` blob NOT NULL, `id` blob NOT NULL, `bucket` integer NOT NULL, `due_at` integer NOT NULL, `attempts` integer NOT NULL DEFAULT (0), `recipient` text NOT NULL, `subject` text NOT NULL, `body` text NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "mail_bucket_due_at" to table: "mails"
CREATE INDEX `mail_bucket_due_at` ON `mails` (`bucket`, `due_at`);
-- Create "outbox" table
CREATE TABLE `outbox` (`bucket` integer NOT NULL, `store_id` blob NOT NULL, `id` blob NOT NULL, PRIMARY KEY (`bucket`, `store_id`, `id`));
-- Create "webhook_endpoints" table
CREATE TABLE `webhook_endpoints` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `url` text NOT NULL, `events` text NOT NULL, `description` text NULL, `status` text NOT NULL, `stopped_at` integer NULL, `stopped_reason` text NULL, `app_store_id` blob NULL, `app_id` blob NULL, `secret` blob NOT NULL, `secret_hint` text NOT NULL, `next_secret` blob NULL, `next_secret_hint` text NULL, `next_secret_at` integer NULL, `deleted_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "webhookendpoint_store_id_app_id_id" to table: "webhook_endpoints"
CREATE INDEX `webhookendpoint_store_id_app_id_id` ON `webhook_endpoints` (`store_id`, `app_id`, `id`);
-- Create "webhook_queues" table
CREATE TABLE `webhook_queues` (`store_id` blob NOT NULL, `id` blob NOT NULL, `bucket` integer NOT NULL, `due_at` integer NOT NULL, `lease_token` integer NOT NULL DEFAULT (0), `lease_owner` blob NULL, `lease_until` integer NOT NULL DEFAULT (0), `wake` integer NOT NULL DEFAULT (0), `epoch` integer NOT NULL DEFAULT (0), `last_sequence` integer NOT NULL DEFAULT (0), `floor_sequence` integer NOT NULL DEFAULT (0), `resumed_at` integer NOT NULL DEFAULT (0), `missed_from` blob NULL, `replay_from` blob NULL, `replay_to` blob NULL, `failing_since` integer NULL, `failed_through` integer NOT NULL DEFAULT (0), `warned` integer NOT NULL DEFAULT (0), `streak` integer NOT NULL DEFAULT (0), `probe_at` integer NOT NULL DEFAULT (0), `last_success_at` integer NULL, `last_error` text NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "webhookqueue_bucket_due_at" to table: "webhook_queues"
CREATE INDEX `webhookqueue_bucket_due_at` ON `webhook_queues` (`bucket`, `due_at`);
