-- Modify "apps" table
ALTER TABLE `apps` ADD COLUMN `created_by` binary(16) NULL;
-- Modify "audit_log" table
ALTER TABLE `audit_log` ADD COLUMN `address` varbinary(45) NULL, ADD COLUMN `agent` varchar(255) NULL;
-- Modify "sessions" table
ALTER TABLE `sessions` ADD COLUMN `address` varbinary(45) NULL, ADD COLUMN `proved_at` bigint NULL;
-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `second_factor` bool NOT NULL DEFAULT 0, ADD COLUMN `refund_proof_minor` bigint NULL;
-- Modify "users" table
ALTER TABLE `users` ADD COLUMN `verified_at` bigint NULL;
-- Create "account_events" table
CREATE TABLE `account_events` (`user_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `action` varbinary(32) NOT NULL, `address` varbinary(45) NULL, `agent` varchar(255) NULL, `detail` varchar(255) NULL, PRIMARY KEY (`user_id`, `id`), INDEX `accountevent_id` (`id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "allowances" table
CREATE TABLE `allowances` (`id` binary(32) NOT NULL, `full_at` bigint NOT NULL, PRIMARY KEY (`id`), INDEX `allowance_full_at` (`full_at`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "challenges" table
CREATE TABLE `challenges` (`hash` binary(32) NOT NULL, `user_id` binary(16) NOT NULL, `purpose` varbinary(16) NOT NULL, `email` varbinary(1020) NULL, `data` blob NULL, `expires_at` bigint NOT NULL, PRIMARY KEY (`hash`), INDEX `challenge_expires_at` (`expires_at`), INDEX `challenge_user_id_purpose` (`user_id`, `purpose`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "factors" table
CREATE TABLE `factors` (`user_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `kind` varbinary(16) NOT NULL, `name` varchar(255) NOT NULL, `data` blob NOT NULL, `step` bigint NOT NULL DEFAULT 0, `last_used_at` bigint NULL, PRIMARY KEY (`user_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "invitations" table
CREATE TABLE `invitations` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `email` varbinary(1020) NOT NULL, `pending` varbinary(1020) NULL, `role` varbinary(16) NOT NULL, `inviter_id` binary(16) NULL, `inviter_name` varchar(255) NOT NULL, `mailed` bool NOT NULL DEFAULT 0, `expires_at` bigint NOT NULL, `outcome` varbinary(16) NULL, `ended_at` bigint NULL, PRIMARY KEY (`store_id`, `id`), UNIQUE INDEX `invitation_store_id_pending` (`store_id`, `pending`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "recovery_codes" table
CREATE TABLE `recovery_codes` (`user_id` binary(16) NOT NULL, `hash` binary(32) NOT NULL, PRIMARY KEY (`user_id`, `hash`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
