-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `domain` varbinary(253) NULL;
-- Create "domains" table
CREATE TABLE `domains` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `bucket` tinyint NOT NULL, `host` varbinary(253) NOT NULL, `token` varbinary(64) NOT NULL, `due_at` bigint NOT NULL, `tries` bigint NOT NULL DEFAULT 0, `proved_at` bigint NULL, `checked_at` bigint NULL, `missed` bigint NOT NULL DEFAULT 0, `problem` varchar(500) NULL, `preferred` bool NOT NULL DEFAULT 0, `certificate` blob NULL, `certificate_until` bigint NULL, `certificate_due` bigint NULL, `certificate_failures` bigint NOT NULL DEFAULT 0, `certificate_problem` varchar(500) NULL, PRIMARY KEY (`store_id`, `id`), INDEX `domain_bucket_due_at` (`bucket`, `due_at`), UNIQUE INDEX `domain_store_id_host` (`store_id`, `host`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "domain_hosts" table
CREATE TABLE `domain_hosts` (`host` varbinary(253) NOT NULL, `store_id` binary(16) NOT NULL, PRIMARY KEY (`host`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
