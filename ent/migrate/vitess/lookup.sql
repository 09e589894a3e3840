CREATE TABLE IF NOT EXISTS `lookup_app_names` (`name` varbinary(1020) NOT NULL, `keyspace_id` varbinary(16) NOT NULL, PRIMARY KEY (`name`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS `lookup_challenges` (`hash` binary(32) NOT NULL, `keyspace_id` varbinary(16) NOT NULL, PRIMARY KEY (`hash`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS `lookup_credentials` (`hash` binary(32) NOT NULL, `keyspace_id` varbinary(16) NOT NULL, PRIMARY KEY (`hash`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS `lookup_domain_hosts` (`host` varbinary(253) NOT NULL, `keyspace_id` varbinary(16) NOT NULL, PRIMARY KEY (`host`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS `lookup_memberships` (`user_id` binary(16) NOT NULL, `keyspace_id` varbinary(16) NOT NULL, PRIMARY KEY (`user_id`, `keyspace_id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS `lookup_oauth_clients` (`client_id` varbinary(64) NOT NULL, `keyspace_id` varbinary(16) NOT NULL, PRIMARY KEY (`client_id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS `lookup_sessions` (`hash` binary(32) NOT NULL, `keyspace_id` varbinary(16) NOT NULL, PRIMARY KEY (`hash`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS `lookup_store_handles` (`handle` varbinary(120) NOT NULL, `keyspace_id` varbinary(16) NOT NULL, PRIMARY KEY (`handle`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS `lookup_user_emails` (`email` varbinary(1020) NOT NULL, `keyspace_id` varbinary(16) NOT NULL, PRIMARY KEY (`email`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
