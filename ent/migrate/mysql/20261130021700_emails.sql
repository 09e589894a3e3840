-- Modify "notifications" table
ALTER TABLE `notifications` ADD COLUMN `topic` varbinary(16) NULL;
-- Modify "staff" table
ALTER TABLE `staff` ADD COLUMN `alerts` blob NULL, ADD COLUMN `digest_at` bigint NULL;
-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `low_stock` bigint NULL;
-- Create "order_texts" table
CREATE TABLE `order_texts` (`store_id` binary(16) NOT NULL, `language` varbinary(16) NOT NULL, `email` varbinary(16) NOT NULL, `id` binary(16) NOT NULL, `subject` varchar(255) NOT NULL, `intro` mediumtext NOT NULL, `closing` mediumtext NOT NULL, `version` bigint NOT NULL DEFAULT 1, PRIMARY KEY (`store_id`, `language`, `email`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
