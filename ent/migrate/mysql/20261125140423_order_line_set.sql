-- Modify "orders" table
ALTER TABLE `orders` ADD COLUMN `line_set` mediumblob NULL, ADD COLUMN `line_set_version` bigint NULL;
-- Create "line_walks" table
CREATE TABLE `line_walks` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `changed` bigint NOT NULL, `behind` binary(16) NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
