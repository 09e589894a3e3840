-- Modify "credentials" table
ALTER TABLE `credentials` ADD INDEX `credential_store_id_credential_id` (`store_id`, `credential_id`);
-- Create "access_tokens" table
CREATE TABLE `access_tokens` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `grant_id` binary(16) NOT NULL, `hint` varbinary(16) NOT NULL, `scopes` varbinary(1024) NULL, `expires_at` bigint NOT NULL, `revoked_at` bigint NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "apps" table
CREATE TABLE `apps` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `version` bigint NOT NULL DEFAULT 1, `event_sequence` bigint NOT NULL DEFAULT 0, `updated_at` bigint NOT NULL, `client_id` varbinary(64) NOT NULL, `name` varchar(255) NOT NULL, `developer` varchar(255) NOT NULL, `website` varchar(2048) NULL, `redirect_uris` mediumtext NOT NULL, `scopes` varbinary(1024) NOT NULL, `legacy` bool NOT NULL DEFAULT 0, `disabled_at` bigint NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "consent_tickets" table
CREATE TABLE `consent_tickets` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "grants" table
CREATE TABLE `grants` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `version` bigint NOT NULL DEFAULT 1, `event_sequence` bigint NOT NULL DEFAULT 0, `updated_at` bigint NOT NULL, `app_store_id` binary(16) NOT NULL, `app_id` binary(16) NOT NULL, `user_id` binary(16) NOT NULL, `user_name` varchar(255) NOT NULL, `scopes` varbinary(1024) NOT NULL, `redirect_uri` mediumtext NOT NULL, `code_challenge` varbinary(43) NOT NULL, `code_expires_at` bigint NOT NULL, `code_used_at` bigint NULL, `refresh_hash` binary(32) NULL, `refresh_expires_at` bigint NULL, `expires_at` bigint NOT NULL, `revoked_at` bigint NULL, `revoked_reason` varbinary(32) NULL, `last_used_at` bigint NULL, PRIMARY KEY (`store_id`, `id`), INDEX `grant_store_id_app_id_id` (`store_id`, `app_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "memberships" table
CREATE TABLE `memberships` (`user_id` binary(16) NOT NULL, `store_id` binary(16) NOT NULL, PRIMARY KEY (`user_id`, `store_id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "notifications" table
CREATE TABLE `notifications` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `level` varbinary(16) NOT NULL, `title` varchar(255) NOT NULL, `body` mediumtext NOT NULL, `resource_type` varbinary(32) NULL, `resource_id` binary(16) NULL, `read_at` bigint NULL, PRIMARY KEY (`store_id`, `id`), INDEX `notification_store_id_read_at_id` (`store_id`, `read_at`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "oauth_clients" table
CREATE TABLE `oauth_clients` (`client_id` varbinary(64) NOT NULL, `store_id` binary(16) NOT NULL, `app_id` binary(16) NOT NULL, PRIMARY KEY (`client_id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "sessions" table
CREATE TABLE `sessions` (`hash` binary(32) NOT NULL, `user_id` binary(16) NOT NULL, `agent` varchar(255) NOT NULL, `created_at` bigint NOT NULL, `seen_at` bigint NOT NULL, `expires_at` bigint NOT NULL, PRIMARY KEY (`hash`), INDEX `session_expires_at` (`expires_at`), INDEX `session_user_id` (`user_id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Enter the people who belong to stores already
INSERT INTO `memberships` (`user_id`, `store_id`) SELECT `id`, `store_id` FROM `staff`;
