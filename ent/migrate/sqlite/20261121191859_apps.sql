-- Create index "credential_store_id_credential_id" to table: "credentials"
CREATE INDEX `credential_store_id_credential_id` ON `credentials` (`store_id`, `credential_id`);
-- Create "access_tokens" table
CREATE TABLE `access_tokens` (`store_id` blob NOT NULL, `id` blob NOT NULL, `grant_id` blob NOT NULL, `hint` text NOT NULL, `scopes` text NULL, `expires_at` integer NOT NULL, `revoked_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create "apps" table
CREATE TABLE `apps` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `client_id` text NOT NULL, `name` text NOT NULL, `developer` text NOT NULL, `website` text NULL, `redirect_uris` text NOT NULL, `scopes` text NOT NULL, `legacy` bool NOT NULL DEFAULT (false), `disabled_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create "consent_tickets" table
CREATE TABLE `consent_tickets` (`store_id` blob NOT NULL, `id` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create "grants" table
CREATE TABLE `grants` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `app_store_id` blob NOT NULL, `app_id` blob NOT NULL, `user_id` blob NOT NULL, `user_name` text NOT NULL, `scopes` text NOT NULL, `redirect_uri` text NOT NULL, `code_challenge` text NOT NULL, `code_expires_at` integer NOT NULL, `code_used_at` integer NULL, `refresh_hash` blob NULL, `refresh_expires_at` integer NULL, `expires_at` integer NOT NULL, `revoked_at` integer NULL, `revoked_reason` text NULL, `last_used_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "grant_store_id_app_id_id" to table: "grants"
CREATE INDEX `grant_store_id_app_id_id` ON `grants` (`store_id`, `app_id`, `id`);
-- Create "memberships" table
CREATE TABLE `memberships` (`user_id` blob NOT NULL, `store_id` blob NOT NULL, PRIMARY KEY (`user_id`, `store_id`));
-- Create "notifications" table
CREATE TABLE `notifications` (`store_id` blob NOT NULL, `id` blob NOT NULL, `level` text NOT NULL, `title` text NOT NULL, `body` text NOT NULL, `resource_type` text NULL, `resource_id` blob NULL, `read_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "notification_store_id_read_at_id" to table: "notifications"
CREATE INDEX `notification_store_id_read_at_id` ON `notifications` (`store_id`, `read_at`, `id`);
-- Create "oauth_clients" table
CREATE TABLE `oauth_clients` (`client_id` text NOT NULL, `store_id` blob NOT NULL, `app_id` blob NOT NULL, PRIMARY KEY (`client_id`));
-- Create "sessions" table
CREATE TABLE `sessions` (`hash` blob NOT NULL, `user_id` blob NOT NULL, `agent` text NOT NULL, `created_at` integer NOT NULL, `seen_at` integer NOT NULL, `expires_at` integer NOT NULL, PRIMARY KEY (`hash`));
-- Create index "session_user_id" to table: "sessions"
CREATE INDEX `session_user_id` ON `sessions` (`user_id`);
-- Create index "session_expires_at" to table: "sessions"
CREATE INDEX `session_expires_at` ON `sessions` (`expires_at`);
-- Enter the people who belong to stores already
INSERT INTO `memberships` (`user_id`, `store_id`) SELECT `id`, `store_id` FROM `staff`;
