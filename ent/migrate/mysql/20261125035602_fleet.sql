-- Create "processes" table
CREATE TABLE `processes` (`id` binary(16) NOT NULL, `role` varbinary(16) NOT NULL, `host` varchar(255) NOT NULL, `pid` bigint NOT NULL, `version` varchar(255) NOT NULL, `started_at` bigint NOT NULL, `seen_at` bigint NOT NULL, `rates` mediumblob NULL, `rates_at` bigint NOT NULL DEFAULT 0, PRIMARY KEY (`id`), INDEX `process_seen_at` (`seen_at`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "revocations" table
CREATE TABLE `revocations` (`home` binary(16) NOT NULL, `id` binary(16) NOT NULL, `owner` binary(16) NOT NULL, `at` bigint NOT NULL, PRIMARY KEY (`home`, `id`), INDEX `revocation_at_owner` (`at`, `owner`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
