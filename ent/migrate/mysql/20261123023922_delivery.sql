-- Modify "deliveries" table
ALTER TABLE `deliveries` ADD COLUMN `tried_at` bigint NOT NULL DEFAULT 0;
-- Modify "outbox" table
ALTER TABLE `outbox` ADD COLUMN `generation` bigint NOT NULL DEFAULT 0, ADD COLUMN `dealt_to` binary(16) NULL;
-- Modify "webhook_endpoints" table
ALTER TABLE `webhook_endpoints` ADD COLUMN `paused_until` bigint NULL, ADD COLUMN `rate_limit` bigint NULL, ADD COLUMN `headers` blob NULL, ADD COLUMN `filters` varbinary(4096) NULL;
-- Modify "webhook_queues" table
ALTER TABLE `webhook_queues` ADD COLUMN `generation` bigint NOT NULL DEFAULT 0, ADD COLUMN `set_at` bigint NOT NULL DEFAULT 0;
-- Create "outbox_failures" table
CREATE TABLE `outbox_failures` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `generation` bigint NOT NULL DEFAULT 0, `failed_at` bigint NOT NULL, `detail` varchar(1000) NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
