-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Add column "address" to table: "audit_log"
ALTER TABLE `audit_log` ADD COLUMN `address` text NULL;
-- Add column "agent" to table: "audit_log"
ALTER TABLE `audit_log` ADD COLUMN `agent` text NULL;
-- Add column "verified_at" to table: "users"
ALTER TABLE `users` ADD COLUMN `verified_at` integer NULL;
-- Add column "created_by" to table: "apps"
ALTER TABLE `apps` ADD COLUMN `created_by` blob NULL;
-- Add column "address" to table: "sessions"
ALTER TABLE `sessions` ADD COLUMN `address` text NULL;
-- Add column "proved_at" to table: "sessions"
ALTER TABLE `sessions` ADD COLUMN `proved_at` integer NULL;
-- Create "new_stores" table
CREATE TABLE `new_stores` (`id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `handle` text NOT NULL, `name` text NOT NULL, `currency` text NOT NULL, `timezone` text NOT NULL, `status` text NOT NULL DEFAULT ('open'), `next_number` integer NOT NULL DEFAULT (1001), `second_factor` bool NOT NULL DEFAULT (false), `refund_proof_minor` integer NULL, `legacy` bool NOT NULL DEFAULT (false), `demo` bool NOT NULL DEFAULT (false), `active_theme_id` blob NULL, `storefront_revision` integer NOT NULL DEFAULT (0), PRIMARY KEY (`id`));
-- Copy rows from old table "stores" to new temporary table "new_stores"
INSERT INTO `new_stores` (`id`, `version`, `event_sequence`, `updated_at`, `handle`, `name`, `currency`, `timezone`, `status`, `next_number`, `legacy`, `demo`, `active_theme_id`, `storefront_revision`) SELECT `id`, `version`, `event_sequence`, `updated_at`, `handle`, `name`, `currency`, `timezone`, `status`, `next_number`, `legacy`, `demo`, `active_theme_id`, `storefront_revision` FROM `stores`;
-- Drop "stores" table after copying rows
DROP TABLE `stores`;
-- Rename temporary table "new_stores" to "stores"
ALTER TABLE `new_stores` RENAME TO `stores`;
-- Create "account_events" table
CREATE TABLE `account_events` (`user_id` blob NOT NULL, `id` blob NOT NULL, `action` text NOT NULL, `address` text NULL, `agent` text NULL, `detail` text NULL, PRIMARY KEY (`user_id`, `id`));
-- Create index "accountevent_id" to table: "account_events"
CREATE INDEX `accountevent_id` ON `account_events` (`id`);
-- Create "allowances" table
CREATE TABLE `allowances` (`id` blob NOT NULL, `full_at` integer NOT NULL, PRIMARY KEY (`id`));
-- Create index "allowance_full_at" to table: "allowances"
CREATE INDEX `allowance_full_at` ON `allowances` (`full_at`);
-- Create "challenges" table
CREATE TABLE `challenges` (`hash` blob NOT NULL, `user_id` blob NOT NULL, `purpose` text NOT NULL, `email` text NULL, `data` blob NULL, `expires_at` integer NOT NULL, PRIMARY KEY (`hash`));
-- Create index "challenge_user_id_purpose" to table: "challenges"
CREATE INDEX `challenge_user_id_purpose` ON `challenges` (`user_id`, `purpose`);
-- Create index "challenge_expires_at" to table: "challenges"
CREATE INDEX `challenge_expires_at` ON `challenges` (`expires_at`);
-- Create "factors" table
CREATE TABLE `factors` (`user_id` blob NOT NULL, `id` blob NOT NULL, `kind` text NOT NULL, `name` text NOT NULL, `data` blob NOT NULL, `step` integer NOT NULL DEFAULT (0), `last_used_at` integer NULL, PRIMARY KEY (`user_id`, `id`));
-- Create "invitations" table
CREATE TABLE `invitations` (`store_id` blob NOT NULL, `id` blob NOT NULL, `email` text NOT NULL, `pending` text NULL, `role` text NOT NULL, `inviter_id` blob NULL, `inviter_name` text NOT NULL, `mailed` bool NOT NULL DEFAULT (false), `expires_at` integer NOT NULL, `outcome` text NULL, `ended_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "invitation_store_id_pending" to table: "invitations"
CREATE UNIQUE INDEX `invitation_store_id_pending` ON `invitations` (`store_id`, `pending`);
-- Create "recovery_codes" table
CREATE TABLE `recovery_codes` (`user_id` blob NOT NULL, `hash` blob NOT NULL, PRIMARY KEY (`user_id`, `hash`));
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
